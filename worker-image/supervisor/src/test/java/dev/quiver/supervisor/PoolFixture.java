package dev.quiver.supervisor;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.TrialTimeouts;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.FailureRules;
import dev.quiver.lifecycle.redis.PatientStore;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.redis.StoreUnreachableException;
import dev.quiver.lifecycle.taskset.HandWrittenOrder;
import dev.quiver.lifecycle.taskset.StatusChange;
import dev.quiver.lifecycle.taskset.TaskSetControl;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetOpening;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.worker.PoolControl;
import dev.quiver.lifecycle.worker.WorkerIdentity;
import dev.quiver.lifecycle.worker.WorkerRecord;

/** The operator's part in a test: a keyspace of its own on a real Redis, a pool in it, task sets. */
public final class PoolFixture implements AutoCloseable {

    /** Name of the pool. */
    public static final String POOL = "specs";

    /** Its uid. */
    public static final String POOL_UID = "pool-uid-1";

    private static final long TERM = 1;
    private static final AtomicInteger KEYSPACES = new AtomicInteger();

    private final Keyspace keyspace = Keyspace.ofNamespace("test-" + KEYSPACES.incrementAndGet());
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final RedisStore store;
    private final Lifecycle lifecycle;

    /** A fresh keyspace with the pool announced. */
    public PoolFixture(RedisEndpoint endpoint) {
        store = PatientStore.open(endpoint, "test-operator");
        lifecycle = new Lifecycle(store);
        announce();
    }

    /** As the operator does at its start, and again after a store loss; repeated while Redis does not answer in time. */
    public void announce() {
        Awaitility.await("Redis takes the pool")
                .ignoreException(StoreUnreachableException.class)
                .until(() -> {
                    lifecycle.health(keyspace, TERM).observe(Optional.empty());
                    pools().announce(POOL, POOL_UID);
                    return true;
                });
    }

    /** Looks for dead sessions every half second until closed, as the operator does. */
    public PoolFixture reaping() {
        clock.scheduleWithFixedDelay(this::reap, 0, 500, TimeUnit.MILLISECONDS);
        return this;
    }

    private void reap() {
        try {
            lifecycle.reaper(keyspace).tick();
        } catch (StoreException away) {
            // The next tick tries again.
        }
    }

    /** Where it is. */
    public Keyspace keyspace() {
        return keyspace;
    }

    /** The store under it. */
    public RedisStore store() {
        return store;
    }

    /** The entrance over it. */
    public Lifecycle lifecycle() {
        return lifecycle;
    }

    /** The pool's side. */
    public PoolControl pools() {
        return lifecycle.pools(keyspace, TERM);
    }

    /** The task sets' side. */
    public TaskSetControl control() {
        return lifecycle.control(keyspace, TERM);
    }

    /** A pod of the pool. */
    public static WorkerIdentity worker(String pod, int slots) {
        return new WorkerIdentity(POOL, POOL_UID, pod, "uid-of-" + pod, "node-1", slots);
    }

    /** Opens a set of {@code tasks} runs of a command. */
    public void open(String uid, long tasks, TaskSetLimits limits, String... command) {
        control().open(TaskSetOpening.of(uid, POOL, commands(uid, tasks, command), limits));
    }

    /** The same with rules for its failed trials. */
    public void open(String uid, long tasks, FailureRules rules, String... command) {
        control()
                .open(TaskSetOpening.of(
                        uid, POOL, commands(uid, tasks, command).failing(rules), TaskSetLimits.DEFAULT));
    }

    /** Opens a set whose tasks are {@linkplain #feed fed}. */
    public void openFed(String uid, String... command) {
        ExecutionSpec spec = new ExecutionSpec(
                uid, List.of(command), List.of(), List.of(), Optional.empty(), new ExecutionSpec.TaskSource.Items());
        control().open(TaskSetOpening.of(uid, POOL, spec, TaskSetLimits.DEFAULT));
    }

    /** Adds one task. */
    public void feed(String uid, long ordinal) {
        control().feed(uid, ordinal, List.of("{\"name\":\"" + ordinal + "\"}"), false);
    }

    /** The same, each trial ended after so long. */
    public void openWithin(Duration limit, String uid, long tasks, TaskSetLimits limits, String... command) {
        ExecutionSpec spec = commands(uid, tasks, command).within(limit);
        control().open(TaskSetOpening.of(uid, POOL, spec, limits));
    }

    /** Opens a set of one command whose limits follow from its usual time; none where that is 0. */
    public void openLimited(String uid, TrialTimeouts limits, int usualMillis, int trials, String... command) {
        ExecutionSpec spec = commands(uid, 1, command).limiting(Optional.of(limits));
        control().open(TaskSetOpening.of(uid, POOL, spec, trials(trials)));
        if (usualMillis > 0) {
            HandWrittenOrder.longestFirst(List.of(usualMillis)).write(store, keyspace, uid);
        }
    }

    /** The same of one call of a handler. */
    public void openLimitedCall(String uid, TrialTimeouts limits, int usualMillis, String handler, String json) {
        ExecutionSpec spec = calls(uid, 1, handler, json).limiting(Optional.of(limits));
        control().open(TaskSetOpening.of(uid, POOL, spec, trials(2)));
        HandWrittenOrder.longestFirst(List.of(usualMillis)).write(store, keyspace, uid);
    }

    private static ExecutionSpec commands(String uid, long tasks, String... command) {
        return new ExecutionSpec(
                uid,
                List.of(command),
                List.of(),
                List.of(),
                Optional.empty(),
                new ExecutionSpec.TaskSource.Count(tasks));
    }

    /** Opens a set of calls of a handler, each with this JSON. */
    public void openCalls(String uid, long tasks, TaskSetLimits limits, String handler, String json) {
        control().open(TaskSetOpening.of(uid, POOL, calls(uid, tasks, handler, json), limits));
    }

    /** The same with rules for its failed trials. */
    public void openCalls(String uid, long tasks, FailureRules rules, String handler, String json) {
        control()
                .open(TaskSetOpening.of(
                        uid, POOL, calls(uid, tasks, handler, json).failing(rules), TaskSetLimits.DEFAULT));
    }

    /** Opens a set of calls of a handler, so many in one dispatch. */
    public void openBatches(String uid, long tasks, String handler, int batch) {
        ExecutionSpec spec = calls(uid, tasks, handler, "{}").batched(Optional.of(batch));
        control().open(TaskSetOpening.of(uid, POOL, spec, TaskSetLimits.DEFAULT));
    }

    /** The places of all tasks that the sessions of this keyspace hold of any set. */
    public List<String> places() {
        return store.ask(redis -> redis.keys(keyspace.prefix() + "*:held:*")).stream()
                .flatMap(key -> store.ask(redis -> redis.hgetall(key)).entrySet().stream())
                .filter(entry -> !entry.getKey().equals("#"))
                .map(entry -> entry.getValue().substring(entry.getValue().indexOf('@') + 1))
                .toList();
    }

    /** The same, each trial ended after so long. */
    public void openCallsWithin(
            Duration limit, String uid, long tasks, TaskSetLimits limits, String handler, String json) {
        ExecutionSpec spec = calls(uid, tasks, handler, json).within(limit);
        control().open(TaskSetOpening.of(uid, POOL, spec, limits));
    }

    private static ExecutionSpec calls(String uid, long tasks, String handler, String json) {
        return new ExecutionSpec(
                uid,
                new Execution.Handler(handler),
                List.of(),
                Optional.of(new ExecutionInput.Json(json)),
                new ExecutionSpec.TaskSource.Count(tasks));
    }

    /** Changes its status. */
    public void end(String uid, StatusChange change) {
        control().changeStatus(uid, change);
    }

    /** Its counters; fails when it is not there. */
    public TaskSetSnapshot snapshot(String uid) {
        Map<String, TaskSetSnapshot> found = control().snapshot(List.of(uid));
        return Optional.ofNullable(found.get(uid)).orElseThrow();
    }

    /** The pool's registry. */
    public List<WorkerRecord> workers() {
        return pools().workers(List.of(POOL)).getOrDefault(POOL, List.of());
    }

    /** Limits with so many trials. */
    public static TaskSetLimits trials(int most) {
        return new TaskSetLimits(most, 3, 0, Duration.ZERO);
    }

    @Override
    public void close() {
        clock.shutdownNow();
        store.close();
    }
}
