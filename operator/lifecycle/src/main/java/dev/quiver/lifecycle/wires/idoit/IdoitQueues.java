package dev.quiver.lifecycle.wires.idoit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.worker.CallBudget;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.NumberedStep;
import dev.quiver.lifecycle.worker.Orphan;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Reaper;
import dev.quiver.lifecycle.worker.RunningTask;
import dev.quiver.lifecycle.worker.SessionCalls;
import dev.quiver.lifecycle.worker.SessionKeys;
import dev.quiver.lifecycle.worker.SourceKind;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.Takeover;
import dev.quiver.lifecycle.worker.WorkSource;

/**
 * Pools' tasks of the wire on the workers' side: those of a pool are one source, {@code idoit:<pool>}. What a session holds
 * stands in the own keyspace, so that a worker is replaced as with any other kind; the wire has locks that npm's watchdogs
 * understand.
 */
public final class IdoitQueues implements SourceKind {

    /** How long a lock lasts that is not renewed; npm's watchdog takes the task back then. */
    public static final Duration LOCK = Duration.ofSeconds(15);

    private static final Duration PAUSE = Duration.ofMillis(500);
    private static final Pattern POOL = Pattern.compile("[a-z0-9.-]{1,253}");
    private static final String LAST_CALL = "#";
    private static final int TASKS = 64;

    /** Calls for the commands that a step leaves; the tick does the others. */
    private static final int MOST_CALLS = 300;

    private final RedisStore store;
    private final Keyspace keyspace;
    private final Duration lock;
    private final Predicate<String> mayUse;
    private final boolean commands;

    private IdoitQueues(
            RedisStore store, Keyspace keyspace, Duration lock, Predicate<String> mayUse, boolean commands) {
        this.store = store;
        this.keyspace = keyspace;
        this.lock = lock;
        this.mayUse = mayUse;
        this.commands = commands;
    }

    /** Those of one keyspace, for a process that has the rights of its tenant. */
    public static IdoitQueues ofWorker(RedisStore store, Keyspace keyspace, Duration lock) {
        return new IdoitQueues(store, keyspace, lock, _ -> true, true);
    }

    /**
     * Those of one keyspace, for a process with wider rights. It keeps times, and runs no commands, whose texts a tenant
     * wrote and of any length.
     *
     * @param granted whether a prefix that stands in the keyspace is one that its tenant may use
     */
    public static IdoitQueues ofUpkeep(RedisStore store, Keyspace keyspace, Predicate<String> granted) {
        return new IdoitQueues(store, keyspace, LOCK, granted, false);
    }

    /** The source of a pool's tasks of the wire. */
    public static String source(String pool) {
        return IdoitKeys.SOURCE + pool;
    }

    static String pool(String source) {
        return source.substring(IdoitKeys.SOURCE.length());
    }

    static boolean isPool(String name) {
        return POOL.matcher(name).matches();
    }

    @Override
    public boolean owns(String source) {
        return source.startsWith(IdoitKeys.SOURCE) && isPool(pool(source));
    }

    @Override
    public String hash(String source) {
        return new IdoitKeys(SessionKeys.ofPool(keyspace, pool(source))).source();
    }

    private Optional<Grant> grant(String source) {
        return Grant.read(store, hash(source)).filter(grant -> mayUse.test(grant.prefix()));
    }

    /** Nothing once the grant is gone. */
    @Override
    public Optional<WorkSource> enter(SessionCalls session, String source) {
        return grant(source).map(grant -> new Entered(session, source, grant));
    }

    private final class Entered implements WorkSource {

        private final SessionCalls session;
        private final String source;
        private final Grant grant;
        private final IdoitKeys keys;

        Entered(SessionCalls session, String source, Grant grant) {
            this.session = session;
            this.source = source;
            this.grant = grant;
            this.keys = new IdoitKeys(session.keys());
        }

        @Override
        public String id() {
            return source;
        }

        @Override
        public List<String> handlers() {
            return List.of();
        }

        @Override
        public StepCall prepare(StepRequest request) {
            List<String> served = grant.served(request.served()).stream()
                    .map(type -> JsJson.quoted(type.name()))
                    .toList();
            IdoitStep.Rest rest = pools -> new IdoitCommands(store, keyspace)
                    .run(grant.prefix(), pool(source), pools, served, new CallBudget(MOST_CALLS));
            StepCall step = new NumberedStep(
                    session,
                    source,
                    IdoitScripts.STEP,
                    IdoitScripts.STEP.keys(keys::key, List.of()),
                    IdoitStep.arguments(session, source, grant, lock.toMillis(), request),
                    (number, reply) -> IdoitStep.read(session, source, grant, rest, number, reply));
            session.begin(step);
            return step;
        }

        @Override
        public boolean attends() {
            return true;
        }

        /** Also renews the locks of all that is held, running or not. */
        @Override
        public Set<String> attend(Collection<RunningTask> running) {
            List<String> arguments = new ArrayList<>(List.of(
                    session.keys().session(),
                    Long.toString(lock.toMillis()),
                    Long.toString(lock.toMillis() * 11 / 15),
                    grant.prefix(),
                    IdoitSalt.fresh()));
            running.forEach(task -> arguments.addAll(List.of(task.id(), task.millionths())));
            ScriptReply reply = store.run(
                    IdoitScripts.ATTEND,
                    IdoitScripts.ATTEND.keys(keys::key, List.of()),
                    arguments.toArray(String[]::new));
            return Set.copyOf(BoundedReads.texts(reply, 1));
        }
    }

    @Override
    public List<Orphan> orphans(SessionCalls session, String source) {
        Optional<Grant> grant = grant(source);
        if (grant.isEmpty()) {
            return List.of();
        }
        String held = new IdoitKeys(session.keys()).held(session.keys().earlier());
        Map<String, String> entries = store.ask(redis -> redis.hgetall(held));
        List<Orphan> found = new ArrayList<>();
        entries.forEach((id, entry) -> {
            if (!id.equals(LAST_CALL)) {
                String tries = store.ask(redis -> redis.hget(grant.get().prefix() + id, "quiver_tries"));
                found.add(new Orphan(
                        source,
                        id,
                        tries != null && tries.matches("[1-9][0-9]{0,8}") ? Integer.parseInt(tries) : 1,
                        Place.parse(entry.substring(entry.indexOf('@') + 1))));
            }
        });
        return found;
    }

    @Override
    public List<Claim> adopt(SessionCalls session, String source, List<Takeover> takeovers) {
        Optional<Grant> grant = grant(source);
        if (grant.isEmpty()) {
            return List.of();
        }
        IdoitKeys keys = new IdoitKeys(session.keys());
        SessionCalls.Numbered answer = session.adopting(source, number -> {
            List<String> arguments = new ArrayList<>(List.of(
                    session.keys().session(),
                    session.executed().argument(),
                    session.keys().earlier(),
                    Long.toString(number),
                    pool(source),
                    grant.get().prefix(),
                    IdoitSalt.fresh()));
            takeovers.forEach(takeover ->
                    arguments.addAll(List.of(takeover.id(), takeover.place().text())));
            return store.run(
                    IdoitScripts.ADOPT,
                    IdoitScripts.ADOPT.keys(keys::key, List.of()),
                    arguments.toArray(String[]::new));
        });
        if (answer.reply().code() != ScriptCode.OK) {
            return List.of();
        }
        session.executed().learned(answer.reply().number(1));
        return IdoitStep.claims(
                source,
                grant.get(),
                answer.number(),
                answer.reply(),
                3,
                Recording.known(answer.reply().text(2)));
    }

    /** Without a grant the locks lapse by themselves; only the session's own records are removed. */
    @Override
    public Reaper.Reaped reap(SessionKeys dead, String source, CallBudget budget) {
        String prefix = grant(source).map(Grant::prefix).orElseGet(() -> hash(source) + ":none:");
        IdoitKeys keys = new IdoitKeys(new SessionKeys(keyspace, pool(source), dead.session()));
        Reaper.Reaped all = Reaper.Reaped.NONE;
        ScriptReply reply;
        do {
            if (!budget.take(1)) {
                return all;
            }
            reply = store.run(
                    IdoitScripts.REAP,
                    IdoitScripts.REAP.keys(keys::key, List.of()),
                    dead.session(),
                    Integer.toString(TASKS),
                    prefix,
                    IdoitSalt.fresh(),
                    pool(source));
            if (reply.code() == ScriptCode.NOTHING) {
                return all;
            }
            all = all.plus(new Reaper.Reaped(0, Math.toIntExact(reply.number(1)), 0));
        } while (reply.number(2) == 1);
        return all;
    }

    /** The watchdogs of the wire, and, by workers, the commands that are due. */
    @Override
    public void promote(String source, CallBudget budget) {
        Optional<Grant> grant = grant(source);
        if (grant.isEmpty() || !budget.take(2)) {
            return;
        }
        String prefix = grant.get().prefix();
        IdoitKeys keys = new IdoitKeys(SessionKeys.ofPool(keyspace, pool(source)));
        ScriptReply reply = store.run(
                IdoitScripts.TICK,
                IdoitScripts.TICK.keys(keys::key, List.of()),
                Long.toString(PAUSE.toMillis()),
                prefix,
                IdoitSalt.fresh(),
                pool(source));
        if (commands && reply.code() == ScriptCode.OK) {
            List<String> pools = new ArrayList<>(BoundedReads.texts(reply, 2));
            if (reply.number(1) > 0) {
                pools.addFirst(pool(source));
            }
            new IdoitCommands(store, keyspace).run(prefix, pool(source), pools, List.of(), budget);
        }
    }
}
