package dev.quiver.lifecycle.ordinals;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.worker.CallBudget;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.HeldTasks;
import dev.quiver.lifecycle.worker.Orphan;
import dev.quiver.lifecycle.worker.Reaper;
import dev.quiver.lifecycle.worker.RunningTask;
import dev.quiver.lifecycle.worker.SessionCalls;
import dev.quiver.lifecycle.worker.SessionKeys;
import dev.quiver.lifecycle.worker.SourceKind;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.Takeover;
import dev.quiver.lifecycle.worker.WorkSource;

/** The sources of numbered tasks of one kind on the workers' side. */
public final class OrdinalSources implements SourceKind {

    private static final Logger LOG = LoggerFactory.getLogger(OrdinalSources.class);
    private static final int TASKS = 64;
    private static final int PROMOTIONS = 256;

    /** Bytes of what stands of a task's failed and lost runs. */
    private static final int TROUBLE_BYTES = 64;

    private final RedisStore store;
    private final Keyspace keyspace;
    private final OrdinalKind kind;

    /** The sources of one keyspace. */
    public OrdinalSources(RedisStore store, Keyspace keyspace, OrdinalKind kind) {
        this.store = store;
        this.keyspace = keyspace;
        this.kind = kind;
    }

    @Override
    public boolean owns(String source) {
        return kind.owns(source);
    }

    @Override
    public String hash(String source) {
        return kind.keys(source).hash();
    }

    @Override
    public Optional<WorkSource> enter(SessionCalls session, String source) {
        OrdinalScriptKeys keys = keys(session.keys(), source);
        return kind.tasks(source)
                .map(tasks -> new Entered(
                        store,
                        session,
                        keys,
                        kind,
                        new ClaimRows(source, tasks, session.keys().session())));
    }

    private OrdinalScriptKeys keys(SessionKeys session, String source) {
        return new OrdinalScriptKeys(session, kind.keys(source));
    }

    private record Entered(
            RedisStore store, SessionCalls session, OrdinalScriptKeys keys, OrdinalKind kind, ClaimRows claims)
            implements WorkSource {

        @Override
        public String id() {
            return claims.source();
        }

        @Override
        public String label() {
            return kind.label();
        }

        @Override
        public List<String> handlers() {
            return claims.tasks().handlers();
        }

        @Override
        public Optional<Integer> batch() {
            return claims.tasks().batch();
        }

        @Override
        public Optional<Integer> mostHeld() {
            return claims.tasks().perWorker();
        }

        @Override
        public StepCall prepare(StepRequest request) {
            StepCall step = new OrdinalStep(session, keys, kind, claims).of(request);
            session.begin(step);
            return step;
        }

        @Override
        public boolean attends() {
            return speculates();
        }

        @Override
        public boolean speculates() {
            return claims.tasks().speculates();
        }

        @Override
        public Set<String> attend(Collection<RunningTask> running, int slowness) {
            List<String> arguments = new ArrayList<>();
            arguments.addAll(List.of(session.keys().session(), id(), Integer.toString(slowness)));
            running.forEach(task -> arguments.addAll(List.of(task.id(), Long.toString(task.ranMillis()))));
            ScriptReply reply = store.run(
                    OrdinalScripts.ATTEND,
                    OrdinalScripts.ATTEND.keys(keys::key, List.of()),
                    arguments.toArray(String[]::new));
            return reply.code() == ScriptCode.OK ? Set.copyOf(reply.texts("stopped")) : Set.of();
        }

        @Override
        public RunnableTask complete(RunnableTask task, long most) {
            return claims.tasks().complete(task, most);
        }

        @Override
        public boolean list(Claim claim, int page, String text) {
            return kind.list(session, claim, page, text);
        }
    }

    @Override
    public List<Orphan> orphans(SessionCalls session, String source) {
        OrdinalScriptKeys keys = keys(session.keys(), source);
        return HeldTasks.orphans(
                store,
                source,
                keys.key("earlier_held"),
                keys.key("trouble"),
                TROUBLE_BYTES,
                trouble -> trial(trouble.orElse("0:0")));
    }

    /** The number of failed and lost runs, plus one for the present run. */
    private static int trial(String trouble) {
        int colon = trouble.indexOf(':');
        return Integer.parseInt(trouble.substring(0, colon)) + Integer.parseInt(trouble.substring(colon + 1)) + 1;
    }

    /** Refuses to take over a source that a newer operator wrote: its tasks go back, and run elsewhere. */
    @Override
    public List<Claim> adopt(SessionCalls session, String source, List<Takeover> takeovers) {
        try {
            return kind.tasks(source)
                    .map(tasks -> adopt(session, source, tasks, takeovers))
                    .orElse(List.of());
        } catch (IllegalArgumentException unreadable) {
            LOG.warn("tasks of source {} are stopped: {}", source, unreadable.getMessage());
            takeOver(
                    session, source, takeovers.stream().map(Takeover::givenBack).toList());
            return List.of();
        }
    }

    private List<Claim> adopt(SessionCalls session, String source, OrdinalTasks tasks, List<Takeover> takeovers) {
        return takeOver(session, source, takeovers)
                .map(answer ->
                        new ClaimRows(source, tasks, session.keys().session()).read(answer.number(), answer.reply(), 0))
                .orElse(List.of());
    }

    private Optional<SessionCalls.Numbered> takeOver(SessionCalls session, String source, List<Takeover> takeovers) {
        OrdinalScriptKeys keys = keys(session.keys(), source);
        return session.takeOver(
                source,
                OrdinalScripts.ADOPT,
                OrdinalScripts.ADOPT.keys(keys::key, List.of()),
                () -> List.of(source),
                takeovers);
    }

    @Override
    public Reaper.Reaped reap(SessionKeys dead, String source, CallBudget budget) {
        OrdinalScriptKeys keys = keys(dead, source);
        return HeldTasks.takeBack(
                budget,
                () -> store.run(
                        OrdinalScripts.REAP,
                        OrdinalScripts.REAP.keys(keys::key, List.of()),
                        dead.session(),
                        source,
                        Integer.toString(TASKS)),
                reply -> new Reaper.Reaped(0, reply.count("requeued"), reply.count("failed")));
    }

    @Override
    public void promote(String source, CallBudget budget) {
        if (!budget.take(1)) {
            return;
        }
        String pool = new BoundedReads(store).pool(hash(source)).orElse(SessionKeys.NO_POOL);
        OrdinalScriptKeys keys = keys(SessionKeys.ofPool(keyspace, pool), source);
        ScriptReply reply;
        do {
            if (!budget.take(1)) {
                return;
            }
            reply = store.run(
                    OrdinalScripts.PROMOTE,
                    OrdinalScripts.PROMOTE.keys(keys::key, List.of()),
                    source,
                    Integer.toString(PROMOTIONS));
        } while (reply.code() == ScriptCode.OK && reply.flag("more"));
    }
}
