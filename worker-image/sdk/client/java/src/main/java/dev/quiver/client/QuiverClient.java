package dev.quiver.client;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.KeyspaceCalls;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptLibrary;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.task.keys.TreeIds;
import dev.quiver.lifecycle.task.model.Complex;
import dev.quiver.lifecycle.task.model.NodeOutcome;
import dev.quiver.lifecycle.task.model.OnceName;
import dev.quiver.lifecycle.task.model.OnceName.Only;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.producer.Durability;
import dev.quiver.lifecycle.task.producer.Submission;
import dev.quiver.lifecycle.task.producer.TaskEvents;
import dev.quiver.lifecycle.task.producer.TaskProducer;
import dev.quiver.lifecycle.task.results.ComplexStates;
import dev.quiver.lifecycle.task.results.TaskOutcomes;
import dev.quiver.lifecycle.task.scheduling.Boosts;
import dev.quiver.lifecycle.task.scheduling.Resources;
import dev.quiver.lifecycle.task.tree.TaskTrees;

/**
 * Creates jobs in a keyspace, waits for them and reads their results. A call is tried again for a while when Redis is
 * away; each change counts once. Calls block, so many at once belong on virtual threads. Thread-safe.
 *
 * <pre>{@code
 * try (QuiverClient quiver = QuiverClient.open(RedisEndpoint.standalone(uri), "team-a")) {
 *     Handle page = quiver.submit(Job.chain(Job.call("fetch", url), Job.call("store").pool("large")));
 *     page.await(Duration.ofMinutes(1));
 *     System.out.println(page.result());
 * }
 * }</pre>
 */
public final class QuiverClient implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final long MOST_BYTES = 64L << 20;

    /** Numbers keep their digits. */
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);

    private final RedisStore store;
    private final Keyspace keyspace;
    private final String pool;
    private final Duration patience;
    private final TaskProducer producer;
    private final TaskOutcomes outcomes;
    private final TaskTrees trees;
    private final Endings endings;
    private final Durability durability;
    private final Queue<Batch> pending = new ConcurrentLinkedQueue<>();

    private QuiverClient(RedisStore store, Keyspace keyspace, String pool, Duration patience) {
        this.store = store;
        this.keyspace = keyspace;
        this.pool = pool;
        this.patience = patience;
        this.producer = new TaskProducer(store, keyspace, this::follow);
        this.outcomes = new TaskOutcomes(store, keyspace);
        this.trees = new TaskTrees(store, keyspace);
        this.endings = new Endings(outcomes);
        this.durability = new Durability(store, keyspace);
    }

    /** Opens a client of a namespace's default keyspace; jobs that name no pool run in {@code default}. */
    public static QuiverClient open(RedisEndpoint redis, String namespace) {
        return open(redis, Keyspace.ofNamespace(namespace), "default", PATIENCE);
    }

    /**
     * Opens a client of any keyspace.
     *
     * @param redis as the Secret {@code quiver-redis-client} has it: {@link RedisEndpoint#read} reads it as mounted
     * @param pool of jobs that name none
     * @param patience how long a call is tried again
     * @throws StoreException in words, for a keyspace that this client cannot use
     */
    public static QuiverClient open(RedisEndpoint redis, Keyspace keyspace, String pool, Duration patience) {
        RedisStore store = RedisStore.open(redis, "quiver-client", ScriptLibrary.loaded("quiver_unknown"));
        QuiverClient client = new QuiverClient(store, keyspace, pool, patience);
        try {
            client.patiently(() -> {
                KeyspaceCalls.follow(store, keyspace);
                return true;
            });
            return client;
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
    }

    private void follow() {
        try {
            KeyspaceCalls.follow(store, keyspace);
        } catch (StoreRefusedException refused) {
            if (!refused.passing()) {
                throw refused;
            }
        } catch (StoreException away) {
            // The call that follows reports it.
        }
    }

    /**
     * Sets what an owner adds to the priority of tags in this client's pool, in place of what it added before. Jobs that
     * wait move at once.
     *
     * @param owner any name but {@code spec}, such as that of a front-end
     * @param boosts at most 256 tags, each with −10,000,000 to 10,000,000; none takes all of the owner back
     * @throws IllegalArgumentException naming field and value
     * @throws UnknownPoolException when there is no such pool
     * @throws StoreException when Redis refuses, or gives no answer for so long
     */
    public void boosts(String owner, Map<String, Integer> boosts) {
        boosts(owner, boosts, Optional.empty());
    }

    /** The same, which ends after the lease unless the owner says it again: a front-end that is gone leaves none. */
    public void boosts(String owner, Map<String, Integer> boosts, Duration lease) {
        boosts(owner, boosts, Optional.of(lease));
    }

    private void boosts(String owner, Map<String, Integer> boosts, Optional<Duration> lease) {
        checkPools(Set.of(pool));
        patiently(() -> new Boosts(store, keyspace).replace(pool, owner, boosts, lease));
    }

    /**
     * Closes a resource of this client's pool, or all that have a pattern such as {@code tenant!*}. Jobs that name it are not
     * given out until nobody has it closed; what runs goes on.
     *
     * @param owner who closes it, any name but {@code spec}, {@code tasks} and {@code probe}: only that owner opens it again
     * @throws IllegalArgumentException naming field and value
     * @throws UnknownPoolException when there is no such pool
     * @throws StoreException when Redis refuses, or gives no answer for so long
     */
    public void close(String owner, String resource) {
        close(owner, resource, Optional.empty());
    }

    /** The same, which ends after so long. */
    public void close(String owner, String resource, Duration lasts) {
        close(owner, resource, Optional.of(lasts));
    }

    private void close(String owner, String resource, Optional<Duration> lasts) {
        checkPools(Set.of(pool));
        patiently(() -> new Resources(store, keyspace).close(pool, owner, resource, lasts));
    }

    /** Takes the owner's closing back. */
    public void open(String owner, String resource) {
        checkPools(Set.of(pool));
        patiently(() -> new Resources(store, keyspace).open(pool, owner, resource));
    }

    /** Takes all closings of a resource back, and {@code initially: Missing} of the WorkerPool. */
    public void openAll(String owner, String resource) {
        checkPools(Set.of(pool));
        patiently(() -> new Resources(store, keyspace).openAll(pool, owner, resource));
    }

    /** The pool's resources, at most 1024: those first for which most jobs wait. */
    public List<ResourceState> resources() {
        checkPools(Set.of(pool));
        return patiently(() -> new Resources(store, keyspace)
                .read(pool, Resources.MOST_READ).resources().stream()
                        .map(ResourceState::of)
                        .toList());
    }

    /**
     * The state and markers that a complex task of the pool keeps for a key; absent where it keeps nothing. They show what is
     * about to be.
     *
     * @throws IllegalArgumentException for a function or a key that {@link Job#complexKey} does not take
     */
    public Optional<ComplexState> complexState(String handler, String key) {
        Complex of = Complex.request(handler, key);
        return patiently(() -> new ComplexStates(store, keyspace).read(pool, of))
                .map(ComplexState::of);
    }

    /** Creates a job. */
    public Handle submit(Job job) {
        return submit(List.of(job), Options.DEFAULT).getFirst();
    }

    /** Creates jobs, in as few calls as possible. */
    public List<Handle> submit(Collection<Job> jobs) {
        return submit(jobs, Options.DEFAULT);
    }

    /**
     * Creates jobs. Where Redis gives no answer, they stay pending and {@link #flush} goes on; where Redis refuses, those
     * that were not created are not tried again. A program that wants to go on after either holds a {@link #batch}.
     *
     * @return their handles, in order
     * @throws UnknownPoolException before any is created
     * @throws StoreException when Redis refuses, or gives no answer for so long
     */
    public List<Handle> submit(Collection<Job> jobs, Options options) {
        return submit(batch(jobs, options));
    }

    /**
     * Creates a job under a name that no other one has while it goes on. Programs that create it at once get one job.
     *
     * @param name of any characters but control characters, 253 at most
     * @return this job, or the one of that name that goes on
     * @throws UnknownPoolException before it is created
     */
    public Handle submitOnce(String name, Job job, Options options) {
        return submitOnce(name, Only.WHILE_IT_GOES_ON, job, options);
    }

    /**
     * The same with another time for which the name is taken.
     *
     * @param only while it waits, and whether a newer job takes the place of the one that waits: of a call or a command alone
     * @return this job, or the one that has the name
     * @throws UnknownPoolException before it is created
     * @throws IllegalArgumentException for a composite whose name is to be free before it ends
     */
    public Handle submitOnce(String name, Only only, Job job, Options options) {
        TaskTree tree = trees(List.of(job), options).getFirst();
        submit(batch(List.of(tree), Submission.named(tree, new OnceName(name, only)), options.durable()));
        return new Handle(this, patiently(() -> producer.holder(tree.id(), name)));
    }

    private List<Handle> submit(Batch batch) {
        try {
            batch.flush();
            return batch.handles();
        } catch (StoreException e) {
            if (!(e instanceof StoreRefusedException refused) || refused.passing()) {
                pending.add(batch);
            }
            throw e;
        }
    }

    /** Jobs that {@link Batch#flush} creates, in as few calls as possible. */
    public Batch batch(Collection<Job> jobs, Options options) {
        List<TaskTree> made = trees(jobs, options);
        return batch(made, Submission.of(made), options.durable());
    }

    private Batch batch(List<TaskTree> made, Submission submission, boolean durable) {
        Set<String> pools = new TreeSet<>();
        made.forEach(tree -> addPools(tree.root(), pools));
        List<Handle> handles =
                made.stream().map(tree -> new Handle(this, tree.id())).toList();
        AtomicReference<Durability.Witness> witness = new AtomicReference<>();
        return new Batch(handles, () -> checkPools(pools), () -> create(submission, durable, witness));
    }

    /** The witness is there while it is not known whether what a flush has created lasts. */
    private void create(Submission submission, boolean durable, AtomicReference<Durability.Witness> witness) {
        if (durable && witness.get() == null) {
            witness.set(patiently(durability::witness));
        }
        producer.submit(submission, patience);
        if (durable) {
            durability.await(witness.get(), patience);
            witness.set(null);
        }
    }

    private List<TaskTree> trees(Collection<Job> jobs, Options options) {
        return jobs.stream()
                .map(job -> new TaskTree(
                        TreeIds.fresh(),
                        job.node(pool),
                        Optional.empty(),
                        false,
                        options.deadline(),
                        options.delay(),
                        Optional.of(options.keep())))
                .toList();
    }

    private void checkPools(Set<String> pools) {
        for (String name : pools) {
            if (!patiently(() -> store.ask(redis -> redis.hexists(keyspace.pool(name), "uid")))) {
                throw new UnknownPoolException(name, keyspace.prefix());
            }
        }
    }

    private static void addPools(TreeNode node, Set<String> pools) {
        if (node instanceof TreeNode.Leaf leaf) {
            pools.add(leaf.pool());
        }
        if (node instanceof TreeNode.ForEach each) {
            addPools(each.template(), pools);
        }
        node.children().forEach(child -> addPools(child, pools));
    }

    /**
     * Goes on with the submissions that had no answer. No submission counts twice. One that is refused stays pending,
     * too, and the others go on: this returns when Redis has confirmed all of them.
     *
     * @throws StoreException for the first one that is refused, or that Redis gives no answer to
     */
    public void flush() {
        RuntimeException first = null;
        for (Batch batch : List.copyOf(pending)) {
            try {
                batch.flush();
                pending.remove(batch);
            } catch (StoreRefusedException | UnknownPoolException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** The batches of submissions that Redis has not confirmed, which {@link #flush} goes on with. */
    public List<Batch> pending() {
        return List.copyOf(pending);
    }

    /** Gives up a pending batch: what Redis has not got of it is not created. */
    public void discard(Batch batch) {
        pending.remove(batch);
    }

    /** A job that another program has created. */
    public Handle handle(String id) {
        return new Handle(this, id);
    }

    CompletableFuture<Void> ended(String id) {
        return endings.of(id);
    }

    /** Waits until all have ended, however. */
    public void awaitAll(Collection<Handle> handles, Duration time) throws InterruptedException, TimeoutException {
        CompletableFuture<Void> all =
                CompletableFuture.allOf(handles.stream().map(Handle::ended).toArray(CompletableFuture[]::new));
        try {
            all.get(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException known ? known : new IllegalStateException(e.getCause());
        }
    }

    /**
     * The results of jobs that have ended, in their order. Each is asked for its value, or throws what became of the job:
     * {@link JobFailedException}, {@link JobGoneException}, or IllegalStateException when it has not ended.
     */
    public List<Supplier<JsonNode>> results(Collection<Handle> handles) {
        List<String> ids = handles.stream().map(Handle::id).toList();
        Map<String, NodeOutcome> found = patiently(() -> outcomes.of(ids, MOST_BYTES));
        return ids.stream()
                .<Supplier<JsonNode>>map(id -> () -> value(id, found.get(id)))
                .toList();
    }

    private static JsonNode value(String id, NodeOutcome outcome) {
        return switch (outcome) {
            case NodeOutcome.Value(String json) -> {
                try {
                    yield JSON.readTree(json);
                } catch (JsonProcessingException e) {
                    throw new IllegalStateException("the result of job " + id + " is no JSON", e);
                }
            }
            case NodeOutcome.Failed(var error) ->
                throw new JobFailedException(error.node(), error.reason(), error.message(), error.trial());
            case NodeOutcome.Open(var state) -> throw new IllegalStateException("job " + id + " is " + state);
            case NodeOutcome.Gone gone -> throw new JobGoneException(id);
        };
    }

    Optional<TreeState.State> state(String id) {
        return patiently(() -> outcomes.states(List.of(id))).get(id);
    }

    List<Handle> undo(String id) {
        return patiently(() -> producer.undo(id)).orElseThrow(() -> new JobGoneException(id)).tasks().stream()
                .map(task -> new Handle(this, task))
                .toList();
    }

    boolean cancel(String id) {
        return patiently(() -> trees.change(id, Trees.Change.CANCEL));
    }

    /**
     * The events of jobs from now on. Close it before the client.
     *
     * @param lease for how long Redis writes events behind the last call, ten minutes at most
     */
    public Events events(Duration lease) {
        return new Events(this, new TaskEvents(store, keyspace), Optional.empty(), lease);
    }

    /** The same behind the position that an {@link Events} had, also of another process. */
    public Events events(String after, Duration lease) {
        return new Events(this, new TaskEvents(store, keyspace), Optional.of(after), lease);
    }

    <T> T patiently(Supplier<T> call) {
        long until = System.nanoTime() + patience.toNanos();
        while (true) {
            try {
                return call.get();
            } catch (StoreException e) {
                boolean passing = !(e instanceof StoreRefusedException refused) || refused.passing();
                if (!passing
                        || System.nanoTime() > until
                        || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE.toNanos());
                follow();
            }
        }
    }

    /** Ends the connection; those that wait are told so. */
    @Override
    public void close() {
        endings.close();
        durability.close();
        store.close();
    }
}
