package dev.quiver.lifecycle.wires.idoit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.wires.WireFrame;
import dev.quiver.lifecycle.worker.AttendedSource;
import dev.quiver.lifecycle.worker.CallBudget;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.NumberedStep;
import dev.quiver.lifecycle.worker.Orphan;
import dev.quiver.lifecycle.worker.Reaper;
import dev.quiver.lifecycle.worker.SessionCalls;
import dev.quiver.lifecycle.worker.SessionKeys;
import dev.quiver.lifecycle.worker.SourceKind;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.Takeover;
import dev.quiver.lifecycle.worker.WorkSource;

/**
 * Pools' tasks of the wire on the workers' side: those of a pool are one source, {@code idoit:<pool>}. The tasks that a
 * session holds are noted in the own keyspace, so that a worker is replaced as with any other kind. The wire has locks
 * that npm's watchdogs understand.
 */
public final class IdoitQueues implements SourceKind {

    /** How long a lock lasts that is not renewed; npm's watchdog takes the task back then. */
    public static final Duration LOCK = WireFrame.LOCK;

    private static final WireFrame.Wire WIRE = new WireFrame.Wire(
            IdoitKeys.SOURCE,
            IdoitScripts.ADOPT,
            IdoitScripts.ATTEND,
            IdoitScripts.REAP,
            (session, name) -> new IdoitKeys(session).key(name),
            () -> List.of(IdoitSalt.fresh()));

    /** Calls for the commands that a step leaves; the tick does the others. */
    private static final int MOST_CALLS = 300;

    private final RedisStore store;
    private final Keyspace keyspace;
    private final WireFrame frame;
    private final Duration lock;
    private final Predicate<String> mayUse;
    private final boolean commands;

    private IdoitQueues(
            RedisStore store, Keyspace keyspace, Duration lock, Predicate<String> mayUse, boolean commands) {
        this.store = store;
        this.keyspace = keyspace;
        this.frame = new WireFrame(store, keyspace, WIRE);
        this.lock = lock;
        this.mayUse = mayUse;
        this.commands = commands;
    }

    /** The queues of one keyspace, for a process that has the rights of its tenant. */
    public static IdoitQueues ofWorker(RedisStore store, Keyspace keyspace, Duration lock) {
        return new IdoitQueues(store, keyspace, lock, _ -> true, true);
    }

    /**
     * The queues of one keyspace, for a process with wider rights. It keeps times, and runs no commands, whose texts a
     * tenant wrote and of any length.
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

    @Override
    public boolean owns(String source) {
        return frame.owns(source);
    }

    @Override
    public String hash(String source) {
        return frame.hash(source);
    }

    private Optional<Grant> grant(String source) {
        return Grant.read(store, hash(source)).filter(grant -> mayUse.test(grant.prefix()));
    }

    /** Absent once the grant is gone. */
    @Override
    public Optional<WorkSource> enter(SessionCalls session, String source) {
        return grant(source)
                .map(grant -> new AttendedSource(
                        session,
                        source,
                        request -> step(session, source, grant, request),
                        running -> frame.attend(
                                session.keys(),
                                lock,
                                grant.prefix(),
                                running.stream()
                                        .flatMap(task -> Stream.of(task.id(), task.millionths()))
                                        .toList()),
                        (task, _) -> task));
    }

    private StepCall step(SessionCalls session, String source, Grant grant, StepRequest request) {
        List<String> served = grant.served(request.served()).stream()
                .map(type -> JsJson.quoted(type.name()))
                .toList();
        IdoitStep.Rest rest = pools -> new IdoitCommands(store, keyspace)
                .run(grant.prefix(), pool(source), pools, served, new CallBudget(MOST_CALLS));
        return new NumberedStep(
                session,
                source,
                IdoitScripts.STEP,
                IdoitScripts.STEP.keys(new IdoitKeys(session.keys())::key, List.of()),
                IdoitStep.arguments(session, source, grant, lock.toMillis(), request),
                (number, reply) -> IdoitStep.read(session, source, grant, rest, number, reply));
    }

    @Override
    public List<Orphan> orphans(SessionCalls session, String source) {
        return grant(source)
                .map(grant -> frame.orphans(session, source, id -> trial(grant, id)))
                .orElse(List.of());
    }

    private int trial(Grant grant, String id) {
        return frame.number(grant.prefix() + id, "quiver_tries")
                .filter(tries -> tries > 0)
                .orElse(1);
    }

    @Override
    public List<Claim> adopt(SessionCalls session, String source, List<Takeover> takeovers) {
        return grant(source)
                .flatMap(grant -> frame.adopt(session, source, grant.prefix(), takeovers)
                        .map(answer -> claims(source, grant, answer)))
                .orElse(List.of());
    }

    private static List<Claim> claims(String source, Grant grant, SessionCalls.Numbered answer) {
        return IdoitStep.claims(source, grant, answer.number(), answer.reply());
    }

    /** Without a grant the locks lapse by themselves; only the session's own records are removed. */
    @Override
    public Reaper.Reaped reap(SessionKeys dead, String source, CallBudget budget) {
        return frame.reap(dead, source, grant(source).map(Grant::prefix), budget);
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
                Long.toString(WireFrame.PAUSE.toMillis()),
                prefix,
                IdoitSalt.fresh(),
                pool(source));
        if (commands && reply.code() == ScriptCode.OK) {
            List<String> pools = new ArrayList<>(reply.texts("pools"));
            if (reply.number("due") > 0) {
                pools.addFirst(pool(source));
            }
            new IdoitCommands(store, keyspace).run(prefix, pool(source), pools, List.of(), budget);
        }
    }
}
