package dev.quiver.lifecycle.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.redis.StoreUnreachableException;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.PoolControl;
import dev.quiver.lifecycle.worker.Reaper;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.SessionKeys;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.TrialFailure;
import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.lifecycle.worker.WorkerIdentity;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerSessions;
import dev.quiver.lifecycle.worker.WorkerState;

/** A fresh keyspace with one pool, and short ways to do what operator and supervisors do. */
public final class World implements AutoCloseable {

    private static final AtomicInteger NUMBER = new AtomicInteger();

    public final Keyspace keyspace;
    public final Lifecycle lifecycle;
    private final Lifecycle workers;
    public final TaskSetControl control;
    public final PoolControl pools;
    public final Reaper reaper;
    private final List<WorkerSession> sessions = new ArrayList<>();

    public World(Lifecycle lifecycle) {
        this(lifecycle, Keyspace.ofNamespace("w" + NUMBER.incrementAndGet()));
    }

    public World(Lifecycle lifecycle, Keyspace keyspace) {
        this(lifecycle, lifecycle, keyspace);
    }

    /** The operator's side by one connection, that of workers and reapers by another. */
    public World(Lifecycle lifecycle, Lifecycle workers, Keyspace keyspace) {
        this.keyspace = keyspace;
        this.lifecycle = lifecycle;
        this.workers = workers;
        lifecycle.health(keyspace, 1).observe(Optional.empty());
        this.control = lifecycle.control(keyspace, 1);
        this.pools = lifecycle.pools(keyspace, 1);
        this.reaper = workers.reaper(keyspace);
        pools.announce("p", "pool-uid");
    }

    public static ExecutionSpec spec(TaskSource source) {
        return new ExecutionSpec("nightly", List.of("true"), List.of(), List.of(), Optional.empty(), source);
    }

    public static ExecutionSpec count(long tasks) {
        return spec(new TaskSource.Count(tasks));
    }

    public void open(String uid, long tasks) {
        open(uid, tasks, TaskSetLimits.DEFAULT);
    }

    public void open(String uid, long tasks, TaskSetLimits limits) {
        control.open(TaskSetOpening.of(uid, "p", count(tasks), limits));
    }

    public void open(String uid, long tasks, int maxWorkers) {
        control.open(new TaskSetOpening(uid, "p", count(tasks), TaskSetLimits.DEFAULT, maxWorkers, 0, false));
    }

    public static TaskSetLimits limits(int maxTrials, int maxLost, int maxFailed) {
        return new TaskSetLimits(maxTrials, maxLost, maxFailed, Duration.ZERO);
    }

    public static WorkerIdentity worker(String pod) {
        return new WorkerIdentity("p", "pool-uid", pod, pod + "-uid", "node-1", 8);
    }

    /** The next set for a worker that works at none and serves all. */
    public static WorkerSession.PickOutcome pick(WorkerSession session) {
        return session.pick(List.of(), List.of());
    }

    /** A heartbeat of a pod that serves no handler and has no trouble. */
    public static WorkerSession.HeartbeatOutcome heartbeat(
            WorkerSession session, Collection<String> sets, int busySlots, boolean draining) {
        return session.heartbeat(sets, WorkerState.of(busySlots, draining));
    }

    public WorkerSession session(String pod) {
        WorkerSessions.Outcome outcome = workers.sessions(keyspace).open(worker(pod));
        assertThat(outcome).isInstanceOf(WorkerSessions.Outcome.Opened.class);
        WorkerSession session = ((WorkerSessions.Outcome.Opened) outcome).session();
        sessions.add(session);
        return session;
    }

    /** The sources that a session entered, by session and source. */
    private static final Map<String, WorkSource> SOURCES = new ConcurrentHashMap<>();

    /** The step that was prepared last, by session and source. */
    private static final Map<String, StepCall> LAST = new ConcurrentHashMap<>();

    /** The source as this session sees it; read at the first call. */
    public static WorkSource enter(WorkerSession session, String uid) {
        return SOURCES.computeIfAbsent(
                key(session, uid), unknown -> session.source(uid).orElseThrow());
    }

    public static StepCall prepare(WorkerSession session, String uid, List<Settlement> settled, List<Place> places) {
        StepCall call = enter(session, uid).prepare(new StepRequest(settled, places, List.of()));
        LAST.put(key(session, uid), call);
        return call;
    }

    /** The step that was prepared last, whatever became of it; absent before the first. */
    public static Optional<StepCall> last(WorkerSession session, String uid) {
        return Optional.ofNullable(LAST.get(key(session, uid)));
    }

    /** The same by a pod of this speed. */
    public static StepCall prepare(
            WorkerSession session, String uid, List<Settlement> settled, List<Place> places, StepRequest.Pace pace) {
        StepCall call = enter(session, uid).prepare(new StepRequest(settled, places, List.of(), pace));
        LAST.put(key(session, uid), call);
        return call;
    }

    private static String key(WorkerSession session, String uid) {
        return session.id() + "/" + uid;
    }

    /** As the engine does: the same call until its outcome is known. */
    public static StepCall.Outcome stepUntilKnown(
            WorkerSession session, String uid, List<Settlement> settled, List<Place> places) {
        StepCall call = prepare(session, uid, settled, places);
        return Awaitility.await().ignoreExceptionsMatching(World::passes).until(call::run, outcome -> true);
    }

    private static boolean passes(Throwable problem) {
        return problem instanceof StoreUnreachableException
                || problem instanceof StoreRefusedException refused && refused.passing();
    }

    public static long id(Claim claim) {
        return Long.parseLong(claim.id());
    }

    public static List<Place> places(int number) {
        return IntStream.range(0, number).mapToObj(i -> Place.slot(i, 1)).toList();
    }

    public static StepCall.Outcome.Done step(WorkerSession session, String uid, List<Settlement> settled, int claims) {
        StepCall.Outcome outcome =
                prepare(session, uid, settled, places(claims)).run();
        assertThat(outcome).isInstanceOf(StepCall.Outcome.Done.class);
        return (StepCall.Outcome.Done) outcome;
    }

    public static List<Claim> claim(WorkerSession session, String uid, int number) {
        return step(session, uid, List.of(), number).claims();
    }

    public static Settlement passed(Claim claim) {
        return new Settlement.Passed(claim, Duration.ofMillis(100));
    }

    public static Settlement failed(Claim claim) {
        return failed(claim, Retry.AT_ONCE);
    }

    public static Settlement failed(Claim claim, Retry retry) {
        return new Settlement.Failed(
                claim,
                Duration.ofMillis(50),
                TrialFailure.of(
                        "t" + claim.id(),
                        claim.task().trial(),
                        Optional.of(1),
                        Optional.empty(),
                        "NonZeroExit",
                        "it broke"),
                retry);
    }

    /** A failure with this exit code, as a supervisor reports it. */
    public static Settlement exited(Claim claim, int code) {
        return new Settlement.Failed(
                claim,
                Duration.ofMillis(50),
                TrialFailure.of(
                        "t" + claim.id(),
                        claim.task().trial(),
                        Optional.of(code),
                        Optional.empty(),
                        "NonZeroExit",
                        "boom"),
                Retry.AT_ONCE);
    }

    /** A task that is not to count against its set. */
    public static Settlement pending(Claim claim) {
        Settlement.Failed failed = (Settlement.Failed) exited(claim, 5);
        return new Settlement.Pending(claim, failed.runTime(), failed.failure(), failed.facts());
    }

    public static Settlement lost(Claim claim) {
        return new Settlement.Lost(
                claim,
                TrialFailure.of(
                        "t" + claim.id(),
                        claim.task().trial(),
                        Optional.empty(),
                        Optional.empty(),
                        "WorkerLost",
                        "its executor died"));
    }

    public static List<Settlement> allPassed(List<Claim> claims) {
        return claims.stream().map(World::passed).toList();
    }

    public static List<Settlement> allFailed(List<Claim> claims) {
        return claims.stream().map(World::failed).toList();
    }

    /** The key of a set's hash. */
    public String key(String uid) {
        return new TaskSetKeys(keyspace, uid).set();
    }

    /** The keys of a set's scripts, by the names that the scripts give them. */
    public static UnaryOperator<String> keys(SessionKeys worker, String uid) {
        return TaskSetScriptKeys.of(worker, uid)::key;
    }

    public TaskSetSnapshot look(String uid) {
        TaskSetSnapshot snapshot = control.snapshot(List.of(uid)).get(uid);
        assertThat(snapshot).as("set %s", uid).isNotNull();
        if (!snapshot.status().isFinal()) {
            assertThat(snapshot.queued() + snapshot.running() + snapshot.succeeded() + snapshot.failed())
                    .as("every task in one place: %s", snapshot)
                    .isEqualTo(snapshot.total());
        }
        return snapshot;
    }

    @Override
    public void close() {
        sessions.forEach(WorkerSession::close);
    }
}
