package dev.quiver.lifecycle.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import dev.quiver.lifecycle.Keyspace;
import dev.quiver.lifecycle.taskset.ExecutionSpec.TaskSource;

/** A fresh keyspace with one pool, and short ways to do what operator and supervisors do. */
final class World implements AutoCloseable {

    private static final AtomicInteger NUMBER = new AtomicInteger();

    final Keyspace keyspace;
    final TaskSetDialect dialect;
    final TaskSetControl control;
    final PoolControl pools;
    final Reaper reaper;
    private final List<WorkSession> sessions = new ArrayList<>();

    World(TaskSetDialect dialect) {
        this(dialect, Keyspace.ofNamespace("w" + NUMBER.incrementAndGet()));
    }

    World(TaskSetDialect dialect, Keyspace keyspace) {
        this.keyspace = keyspace;
        this.dialect = dialect;
        dialect.health(keyspace, 1).observe(Optional.empty());
        this.control = dialect.control(keyspace, 1);
        this.pools = dialect.pools(keyspace, 1);
        this.reaper = dialect.reaper(keyspace);
        pools.announce("p", "pool-uid");
    }

    static ExecutionSpec spec(TaskSource source) {
        return new ExecutionSpec("nightly", List.of("true"), List.of(), List.of(), Optional.empty(), source);
    }

    static ExecutionSpec count(long tasks) {
        return spec(new TaskSource.Count(tasks));
    }

    void open(String uid, long tasks) {
        open(uid, tasks, TaskSetLimits.DEFAULT);
    }

    void open(String uid, long tasks, TaskSetLimits limits) {
        control.open(TaskSetOpening.of(uid, "p", count(tasks), limits));
    }

    void open(String uid, long tasks, int maxWorkers) {
        control.open(new TaskSetOpening(uid, "p", count(tasks), TaskSetLimits.DEFAULT, maxWorkers, 0, false));
    }

    static TaskSetLimits limits(int maxTrials, int maxLost, int maxFailed) {
        return new TaskSetLimits(maxTrials, maxLost, maxFailed, Duration.ZERO);
    }

    static WorkerIdentity worker(String pod) {
        return new WorkerIdentity("p", "pool-uid", pod, pod + "-uid", "node-1", 8);
    }

    WorkSession session(String pod) {
        SessionOutcome outcome = dialect.work(keyspace).open(worker(pod));
        assertThat(outcome).isInstanceOf(SessionOutcome.Opened.class);
        WorkSession session = ((SessionOutcome.Opened) outcome).session();
        sessions.add(session);
        return session;
    }

    static List<Place> places(int number) {
        return IntStream.range(0, number).mapToObj(i -> Place.slot(i, 1)).toList();
    }

    static StepOutcome.Done step(WorkSession session, String uid, List<Settlement> settled, int claims) {
        StepOutcome outcome = session.prepare(uid, settled, places(claims)).run();
        assertThat(outcome).isInstanceOf(StepOutcome.Done.class);
        return (StepOutcome.Done) outcome;
    }

    static List<Claim> claim(WorkSession session, String uid, int number) {
        return step(session, uid, List.of(), number).claims();
    }

    static Settlement passed(Claim claim) {
        return new Settlement.Passed(claim, Duration.ofMillis(100));
    }

    static Settlement failed(Claim claim) {
        return failed(claim, Retry.AT_ONCE);
    }

    static Settlement failed(Claim claim, Retry retry) {
        return new Settlement.Failed(
                claim,
                Duration.ofMillis(50),
                TaskFailure.of(
                        "t" + claim.id(), claim.trial(), Optional.of(1), Optional.empty(), "NonZeroExit", "it broke"),
                retry);
    }

    static Settlement lost(Claim claim) {
        return new Settlement.Lost(
                claim,
                TaskFailure.of(
                        "t" + claim.id(),
                        claim.trial(),
                        Optional.empty(),
                        Optional.empty(),
                        "WorkerLost",
                        "its executor died"));
    }

    static List<Settlement> allPassed(List<Claim> claims) {
        return claims.stream().map(World::passed).toList();
    }

    static List<Settlement> allFailed(List<Claim> claims) {
        return claims.stream().map(World::failed).toList();
    }

    TaskSetSnapshot look(String uid) {
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
        sessions.forEach(WorkSession::close);
    }
}
