package dev.quiver.lifecycle.taskset;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.OrdinalScripts;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.worker.CallBudget;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Orphan;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Reaper;
import dev.quiver.lifecycle.worker.SessionCalls;
import dev.quiver.lifecycle.worker.SessionKeys;
import dev.quiver.lifecycle.worker.SourceKind;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.Takeover;
import dev.quiver.lifecycle.worker.WorkSource;

/** TaskSets on the workers' side. Their sources are their uids. */
public final class TaskSetKind implements SourceKind {

    private static final Logger LOG = LoggerFactory.getLogger(TaskSetKind.class);
    private static final String LAST_CALL = "#";
    private static final int TASKS = 64;
    private static final int PROMOTIONS = 256;

    private final RedisStore store;
    private final Keyspace keyspace;

    public TaskSetKind(RedisStore store, Keyspace keyspace) {
        this.store = store;
        this.keyspace = keyspace;
    }

    /** Kinds of work that are no TaskSets mark their sources by a colon, which no uid has. */
    @Override
    public boolean owns(String source) {
        return TaskSetKeys.isUid(source);
    }

    @Override
    public String hash(String source) {
        return new TaskSetKeys(keyspace, source).set();
    }

    @Override
    public Optional<WorkSource> enter(SessionCalls session, String source) {
        return new SpecReader(store, keyspace).read(source).map(spec -> new Entered(session, source, spec));
    }

    private record Entered(SessionCalls session, String id, ExecutionSpec spec) implements WorkSource {

        @Override
        public Optional<String> handler() {
            return spec.handler();
        }

        @Override
        public StepCall prepare(StepRequest request) {
            TaskSetStep step = new TaskSetStep(session, id, spec, request);
            session.begin(step);
            return step;
        }
    }

    @Override
    public List<Orphan> orphans(SessionCalls session, String source) {
        TaskSetScriptKeys keys = TaskSetScriptKeys.of(session.keys(), source);
        Map<String, String> entries = store.ask(redis -> redis.hgetall(keys.key("earlier_held")));
        List<String> ids =
                entries.keySet().stream().filter(id -> !id.equals(LAST_CALL)).toList();
        if (ids.isEmpty()) {
            return List.of();
        }
        var troubles = store.ask(redis -> redis.hmget(keys.key("trouble"), ids.toArray(String[]::new)));
        List<Orphan> found = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            String entry = entries.get(ids.get(i));
            Place place = Place.parse(entry.substring(entry.indexOf('@') + 1));
            found.add(new Orphan(source, ids.get(i), trial(troubles.get(i).getValueOrElse("0:0")), place));
        }
        return found;
    }

    /** Failed and lost runs, and the one that is held. */
    private static int trial(String trouble) {
        int colon = trouble.indexOf(':');
        return Integer.parseInt(trouble.substring(0, colon)) + Integer.parseInt(trouble.substring(colon + 1)) + 1;
    }

    /** A set that was written by a newer operator is not taken over: its tasks go back, and run elsewhere. */
    @Override
    public List<Claim> adopt(SessionCalls session, String source, List<Takeover> takeovers) {
        try {
            return new SpecReader(store, keyspace)
                    .read(source)
                    .map(spec -> adopt(session, source, spec, takeovers))
                    .orElse(List.of());
        } catch (IllegalArgumentException unreadable) {
            LOG.warn("tasks of set {} are stopped: {}", source, unreadable.getMessage());
            call(session, source, takeovers.stream().map(Takeover::givenBack).toList());
            return List.of();
        }
    }

    private List<Claim> adopt(SessionCalls session, String uid, ExecutionSpec spec, List<Takeover> takeovers) {
        SessionCalls.Numbered answer = call(session, uid, takeovers);
        if (answer.reply().code() != ScriptCode.OK) {
            return List.of();
        }
        session.executed().learned(answer.reply().number(1));
        return ClaimRows.read(uid, spec, answer.number(), answer.reply(), 2);
    }

    private SessionCalls.Numbered call(SessionCalls session, String uid, List<Takeover> takeovers) {
        TaskSetScriptKeys keys = TaskSetScriptKeys.of(session.keys(), uid);
        return session.adopting(uid, number -> {
            List<String> arguments = new ArrayList<>(List.of(
                    session.keys().session(),
                    session.executed().argument(),
                    session.keys().earlier(),
                    Long.toString(number),
                    uid));
            for (Takeover takeover : takeovers) {
                arguments.add(takeover.id());
                arguments.add(takeover.place().text());
            }
            return store.run(
                    OrdinalScripts.ADOPT,
                    OrdinalScripts.ADOPT.keys(keys::key, List.of()),
                    arguments.toArray(String[]::new));
        });
    }

    @Override
    public Reaper.Reaped reap(SessionKeys dead, String source, CallBudget budget) {
        TaskSetScriptKeys keys = TaskSetScriptKeys.of(dead, source);
        Reaper.Reaped all = Reaper.Reaped.NONE;
        ScriptReply reply;
        do {
            if (!budget.take(1)) {
                return all;
            }
            reply = store.run(
                    OrdinalScripts.REAP,
                    OrdinalScripts.REAP.keys(keys::key, List.of()),
                    dead.session(),
                    source,
                    Integer.toString(TASKS));
            if (reply.code() == ScriptCode.NOTHING) {
                return all;
            }
            all = all.plus(new Reaper.Reaped(0, Math.toIntExact(reply.number(1)), Math.toIntExact(reply.number(2))));
        } while (reply.number(3) == 1);
        return all;
    }

    @Override
    public void promote(String source, CallBudget budget) {
        if (!budget.take(1)) {
            return;
        }
        String pool = new BoundedReads(store).pool(hash(source)).orElse(SessionKeys.NO_POOL);
        TaskSetScriptKeys keys = TaskSetScriptKeys.ofPool(keyspace, pool, source);
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
        } while (reply.code() == ScriptCode.OK && reply.number(2) == 1);
    }
}
