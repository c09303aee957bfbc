package dev.quiver.bench.quiver;

import java.io.Closeable;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.RunRecord;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.StoreUnreachableException;
import dev.quiver.lifecycle.task.keys.TreeIds;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.producer.Submission;
import dev.quiver.lifecycle.task.producer.TaskProducer;
import dev.quiver.lifecycle.task.tree.TaskTrees;
import dev.quiver.lifecycle.taskset.StatusChange;
import dev.quiver.lifecycle.taskset.TaskSetControl;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetOpening;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.worker.PoolControl;

/**
 * The operator's calls to Redis for one keyspace, over the direct address, without an operator. Each may be repeated, and
 * is when a busy machine keeps the answer back. Thread-safe.
 */
public final class Headquarters implements Closeable {

    /** A command that the no-op executor ignores. */
    public static final Execution NOOP = new Execution.Command(List.of("noop"), List.of(), Optional.empty());

    /** Room for the records of a turn; the next one begins with an empty stream. */
    private static final long STREAM_BYTES = 1 << 30;

    private static final long TERM = 1;

    /** Time-outs of an answer, five seconds each, before a call fails. */
    private static final int TRIES = 12;

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final long MOST_BYTES = 64L << 20;

    private final RedisStore store;
    /** The uid of the namespace, where sets are recorded. */
    private final Optional<String> recordedIn;

    private final Keyspace keyspace;
    private final TaskSetControl sets;
    private final PoolControl pools;
    private final TaskTrees trees;
    private final TaskProducer producer;

    /** For a namespace of a Redis. */
    public Headquarters(int redisPort, String namespace) {
        this(withFunctions(redisPort), namespace);
    }

    /** As in an installation, scripts are functions of Redis, which the operator loads. */
    private static RedisStore withFunctions(int redisPort) {
        RedisStore store = connected(redisPort, "bench");
        patiently(() -> store.ask(redis -> redis.functionLoad(Lifecycle.LIBRARY.source(), true)));
        return store;
    }

    /**
     * A store that has its connection. A machine that is busy with other tests may take longer for one than a store waits.
     *
     * @param clientName shown by CLIENT LIST
     */
    public static RedisStore connected(int redisPort, String clientName) {
        RedisStore store = RedisStore.open(
                RedisEndpoint.standalone("redis://127.0.0.1:" + redisPort), clientName, Lifecycle.LIBRARY);
        return patiently(() -> {
            store.ping();
            return store;
        });
    }

    /**
     * The same of sets that are recorded.
     *
     * @param namespaceUid by which readers tell the namespace from an earlier one, empty where nobody reads
     */
    public static Headquarters recording(int redisPort, String namespace, String namespaceUid) {
        return new Headquarters(withFunctions(redisPort), namespace, Optional.of(namespaceUid));
    }

    private Headquarters(RedisStore store, String namespace) {
        this(store, namespace, Optional.empty());
    }

    private Headquarters(RedisStore store, String namespace, Optional<String> recordedIn) {
        this.store = store;
        this.recordedIn = recordedIn;
        long streamBytes = recordedIn.isPresent() ? STREAM_BYTES : 0;
        keyspace = Keyspace.ofNamespace(namespace);
        Lifecycle lifecycle = new Lifecycle(store);
        patiently(() -> lifecycle.health(keyspace, TERM).recording(streamBytes).observe(Optional.empty()));
        sets = lifecycle.control(keyspace, TERM);
        pools = lifecycle.pools(keyspace, TERM);
        trees = lifecycle.trees(keyspace);
        producer = new TaskProducer(store, keyspace, () -> {});
    }

    /** Makes a pool and returns its uid. */
    public String announce(String pool) {
        String uid = UUID.randomUUID().toString();
        patiently(() -> {
            pools.announce(pool, uid);
            return uid;
        });
        return uid;
    }

    /** Opens a set of no-op commands and returns its uid; its tasks can be claimed from now on. */
    public String open(String pool, ExecutionSpec.TaskSource source) {
        return open(pool, NOOP, Optional.empty(), source);
    }

    /**
     * Opens a set that executes this, and returns its uid.
     *
     * @param batch tasks of one dispatch; absent: by their run time
     */
    public String open(String pool, Execution execution, Optional<Integer> batch, ExecutionSpec.TaskSource source) {
        return open(pool, execution, batch, source, opening -> opening);
    }

    /** Opens a set of no-op commands whose opening is changed so, and returns its uid. */
    public String open(String pool, ExecutionSpec.TaskSource source, UnaryOperator<TaskSetOpening> change) {
        return open(pool, NOOP, Optional.empty(), source, change);
    }

    private String open(
            String pool,
            Execution execution,
            Optional<Integer> batch,
            ExecutionSpec.TaskSource source,
            UnaryOperator<TaskSetOpening> change) {
        String uid = UUID.randomUUID().toString();
        ExecutionSpec spec = new ExecutionSpec("bench", execution, List.of(), Optional.empty(), source)
                .batched(batch)
                .recorded(recordedIn.map(_ -> Recording.DEFAULT));
        RunOpening run = RunOpening.of(RunKind.TASK_SET, "bench", System.currentTimeMillis(), source.tasks());
        TaskSetOpening opening = TaskSetOpening.of(uid, pool, spec, TaskSetLimits.DEFAULT);
        patiently(() -> sets.open(
                change.apply(opening.recorded(recordedIn.map(its -> new RunRecord(run.within(its), false))))));
        return uid;
    }

    /** Adds tasks to a set that was opened for feeding. */
    public void feed(String uid, long first, List<String> payloads) {
        patiently(() -> sets.feed(uid, first, payloads, false));
    }

    /** Counters as Redis has them. */
    public TaskSetSnapshot snapshot(String uid) {
        return Optional.ofNullable(patiently(() -> sets.snapshot(List.of(uid))).get(uid))
                .orElseThrow(() -> new IllegalStateException("the set is gone: " + uid));
    }

    /** Ends a set and removes it. */
    public void remove(String uid) {
        patiently(() -> {
            sets.changeStatus(uid, new StatusChange.Cancel());
            sets.drop(uid);
            return uid;
        });
    }

    /**
     * Creates trees that begin at once, in as few calls as a program would need; returns their ids.
     *
     * @param keep how long each stays after its end
     */
    public List<String> plant(List<TreeNode> roots, Duration keep) {
        List<TaskTree> made = roots.stream()
                .map(root -> new TaskTree(
                        TreeIds.fresh(),
                        root,
                        Optional.empty(),
                        false,
                        Optional.empty(),
                        Duration.ZERO,
                        Optional.of(keep)))
                .toList();
        producer.submit(Submission.of(made), PATIENCE);
        return made.stream().map(TaskTree::id).toList();
    }

    /** A tree as it is now; absent when it is gone. */
    public Optional<TreeState> tree(String id) {
        return patiently(() -> trees.find(id));
    }

    /** The result of a tree that has ended and is kept. */
    public String result(String id) {
        return patiently(() -> trees.result(id, MOST_BYTES));
    }

    /** How many results of chunks, and of combines of them, a map-reduce keeps at the moment. */
    public long keptResults(String tree) {
        String results =
                keyspace.prefix() + "chunks:" + tree + ".2:results"; // below the tree's root: map, chunks, reduce
        return patiently(() -> store.ask(redis -> redis.hlen(results)));
    }

    /** How many leaves of a pool, and calls of its iterators, have ended so far. */
    public long leavesDone(String pool) {
        String queue = keyspace.pool(pool) + ":tasks";
        return patiently(() -> store.ask(redis -> redis.hmget(queue, "seq", "left"))).stream()
                .mapToLong(field -> Long.parseLong(field.getValueOrElse("0")))
                .reduce((came, left) -> came - left)
                .orElse(0);
    }

    private static <T> T patiently(Supplier<T> call) {
        for (int left = TRIES; ; left--) {
            try {
                return call.get();
            } catch (StoreUnreachableException late) {
                if (left == 1) {
                    throw late;
                }
            }
        }
    }

    /** How many entries of the history wait for a reader. */
    public long recordedEntries() {
        return patiently(() -> store.ask(redis -> redis.xlen(keyspace.history())));
    }

    /** Deletes the history, which no process here persists; returns the number of its entries. */
    public long forgetHistory() {
        long entries = store.ask(redis -> redis.xlen(keyspace.history()));
        store.ask(redis -> redis.unlink(keyspace.history()));
        store.ask(redis -> redis.hdel(keyspace.meta(), "history_bytes"));
        return entries;
    }

    @Override
    public void close() {
        store.close();
    }
}
