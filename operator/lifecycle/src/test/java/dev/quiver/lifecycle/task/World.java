package dev.quiver.lifecycle.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.node.TextNode;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.LeaseTimes;
import dev.quiver.lifecycle.redis.PatientStore;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.queue.TaskQueues;
import dev.quiver.lifecycle.task.results.TaskResults;
import dev.quiver.lifecycle.task.tree.TaskTrees;
import dev.quiver.lifecycle.task.work.TaskLeaf;
import dev.quiver.lifecycle.worker.CallBudget;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Reaper;
import dev.quiver.lifecycle.worker.SessionKeys;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.TrialFailure;
import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.lifecycle.worker.WorkerIdentity;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerSessions;

/** A fresh keyspace with the pools p and q, and short ways to build trees and to work at them. */
public final class World implements AutoCloseable {

    static final LeaseTimes BY_HAND = new LeaseTimes(Duration.ofMinutes(1), Duration.ofHours(1), Duration.ZERO);

    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final SlotFacts SLOT = new SlotFacts(0, "pod", "in", "out", 1 << 20);

    public final Keyspace keyspace = Keyspace.ofNamespace("tasks" + NUMBER.incrementAndGet());
    public final TaskKeys keys = new TaskKeys(keyspace);
    public final RedisStore store;
    public final TaskTrees trees;
    public final Reaper reaper;
    private final RedisStore tenant;
    private final Lifecycle worker;
    private final List<Worker> workers = new ArrayList<>();

    /** Workers, reaper and commands have the rights of the namespace's Redis user. */
    public World(RedisServer redis) {
        this.store = redis.store();
        this.tenant = PatientStore.ofTenant(redis, keyspace.namespace(), Optional.empty(), Lifecycle.LIBRARY);
        this.worker = new Lifecycle(tenant, BY_HAND);
        Lifecycle lifecycle = new Lifecycle(store, BY_HAND);
        lifecycle.health(keyspace, 1).observe(Optional.empty());
        for (String pool : List.of("p", "q")) {
            lifecycle.pools(keyspace, 1).announce(pool, pool + "-uid");
        }
        this.trees = lifecycle.trees(keyspace);
        this.reaper = worker.reaper(keyspace);
        reaper.tick();
    }

    /** The operator sees how a worker's container ended. */
    public void noteContainerEnd(Worker worker, String end) {
        new Lifecycle(store).pools(keyspace, 1).noteContainerEnd(worker.pool, worker.pod + "-uid", end);
    }

    /** The operator sees what becomes of a worker's pod. */
    public void noteFate(Worker worker, String fate) {
        new Lifecycle(store).pools(keyspace, 1).noteFate(worker.pool, worker.pod + "-uid", fate);
    }

    /** From now on history has room for so many bytes. */
    void record(long bytes) {
        new Lifecycle(store).health(keyspace, 1).recording(bytes).beat();
    }

    /** A session at a pool, with the handlers that it serves. */
    public final class Worker {
        public final WorkerSession session;
        public final WorkSource source;
        private final Lifecycle release;
        private final List<String> served;
        private final String pool;
        private final String pod;
        public final List<Claim> held = new ArrayList<>();

        Worker(Lifecycle release, String pool, List<String> served) {
            this(release, pool, served, "pod-" + workers.size(), Duration.ZERO);
        }

        private Worker(Lifecycle release, String pool, List<String> served, String pod, Duration adoption) {
            this.release = release;
            this.pool = pool;
            this.pod = pod;
            WorkerIdentity identity = new WorkerIdentity(pool, pool + "-uid", pod, pod + "-uid", "node-1", 8);
            WorkerSessions sessions = release.sessions(keyspace);
            this.session = ((WorkerSessions.Outcome.Opened) sessions.open(identity, adoption)).session();
            this.source = session.source(TaskQueues.source(pool)).orElseThrow();
            this.served = served;
            workers.add(this);
        }

        /** The next session of its pod, which may adopt what it held. */
        public Worker successor() {
            return new Worker(release, pool, served, pod, WorkerSessions.LONGEST_ADOPTION);
        }

        public StepCall.Outcome.Done step(List<Settlement> settlements, int wanted) {
            List<Place> places = IntStream.range(0, wanted)
                    .mapToObj(i -> i < 64 ? Place.slot(i, 1) : Place.queued(i))
                    .toList();
            StepCall.Outcome.Done done = (StepCall.Outcome.Done)
                    source.prepare(new StepRequest(settlements, places, served)).run();
            settlements.forEach(settlement -> held.remove(settlement.claim()));
            held.addAll(done.claims());
            return done;
        }

        /** Another source than the pool's Tasks, where it is there. */
        public Optional<WorkSource> at(String other) {
            return session.source(other);
        }

        public StepRequest request(List<Settlement> settlements, int wanted) {
            return new StepRequest(
                    settlements,
                    IntStream.range(0, wanted).mapToObj(i -> Place.slot(i, 1)).toList(),
                    served);
        }

        /** A step of this source; what it leaves is run at once. */
        public StepCall.Outcome.Done step(WorkSource of, List<Settlement> settlements, int wanted) {
            StepCall.Outcome.Done done = (StepCall.Outcome.Done)
                    of.prepare(request(settlements, wanted)).run();
            done.rest().ifPresent(Runnable::run);
            return done;
        }

        public List<Claim> claim(WorkSource of, int wanted) {
            return step(of, List.of(), wanted).claims();
        }

        /** The claim with all that its task needs. */
        public Claim completed(WorkSource of, Claim claim) {
            return claim.task().isReady()
                    ? claim
                    : new Claim(
                            claim.uid(), claim.id(), claim.fence(), claim.place(), of.complete(claim.task(), 1 << 20));
        }

        public SessionKeys keys() {
            return new SessionKeys(keyspace, pool, session.id());
        }

        /** Claims as many as there are, 64 at most. */
        public List<Claim> claim() {
            return step(List.of(), 64).claims();
        }

        /** The names of the tasks that it claims. */
        public List<String> claimNames() {
            return claim().stream().map(claim -> claim.task().name()).toList();
        }

        /** Its lease ends. */
        public void die() {
            store.ask(redis -> redis.zadd(keyspace.sessions(), 1, session.id()));
            reaper.tick();
        }
    }

    public Worker worker(String pool, String... served) {
        return workerOf(worker, pool, served);
    }

    /** One of another release. */
    Worker workerOf(Lifecycle release, String pool, String... served) {
        return new Worker(release, pool, List.of(served));
    }

    public static TreeNode leaf(String name) {
        return leaf(name, "p", "h");
    }

    public static TreeNode leaf(String name, String pool, String handler) {
        return new TreeNode.Leaf(pool, Optional.of(handler), 1, 1, body(name, handler));
    }

    public static TaskBody body(String name, String handler) {
        return new TaskBody(
                name,
                Optional.of(new Execution.Handler(handler)),
                List.of(new TextNode(name)),
                Map.of(),
                Optional.empty(),
                RetryBackoff.NONE);
    }

    /** A function without arguments of its own. */
    public static TaskBody bare(String name, String handler) {
        return new TaskBody(
                name,
                Optional.of(new Execution.Handler(handler)),
                List.of(),
                Map.of(),
                Optional.empty(),
                RetryBackoff.NONE);
    }

    public static TreeNode chain(TreeNode... children) {
        return new TreeNode.Chain(
                Arrays.asList(children), OnChildError.FAIL, Optional.empty(), TaskBody.named("chain"));
    }

    public static TreeNode group(TreeNode... children) {
        return group(OnChildError.FAIL, Arrays.asList(children));
    }

    public static TreeNode group(OnChildError reaction, List<TreeNode> children) {
        return new TreeNode.Group(children, 0, reaction, Optional.empty(), TaskBody.named("group"));
    }

    public static TreeNode each(TreeNode template, int window) {
        return new TreeNode.ForEach(template, window, OnChildError.FAIL, Optional.empty(), TaskBody.named("each"));
    }

    public void begin(String tree, TreeNode root) {
        assertThat(trees.create(TaskTree.of(tree, root))).isEqualTo(Trees.Created.BEGUN);
    }

    public TreeState state(String tree) {
        return trees.find(tree).orElseThrow();
    }

    public static Settlement passed(Claim claim, String json) {
        return new Settlement.Passed(claim, Duration.ofMillis(1), Optional.of(TaskResult.of(json)));
    }

    /** The end of a trial whose function answered this in the format of effects. */
    public static Settlement brought(Claim claim, String json) {
        return new Settlement.Passed(
                claim,
                Duration.ofMillis(1),
                Optional.empty(),
                Optional.of(new ExecutionInput.Payload(
                        json.getBytes(StandardCharsets.UTF_8), ExecutionInput.Format.EFFECTS, false)));
    }

    public static Settlement failed(Claim claim) {
        return new Settlement.Failed(
                claim,
                Duration.ofMillis(1),
                new TrialFailure(
                        claim.task().name(), claim.trial(), Optional.of(1), Optional.empty(), "Error", "no", true));
    }

    /** The arguments that a function gets, as a JSON array. */
    public String arguments(Claim claim) {
        RunnableTask task = claim.task();
        RunnableTask whole = task instanceof TaskLeaf leaf && !leaf.isReady()
                ? new TaskResults(tenant, keyspace).read(leaf, 1 << 20)
                : task;
        return new String(whole.render(SLOT).input().bytes(), StandardCharsets.UTF_8);
    }

    /** Runs what is due. */
    public void tick() {
        new TaskQueues(tenant, keyspace).promote("tasks:", new CallBudget(1000));
    }

    /** Works until nothing is left: each task returns what the function makes of its name. Empty for a failure. */
    public void work(Worker worker, Function<Claim, Optional<String>> result) {
        for (int i = 0; i < 100_000; i++) {
            List<Settlement> settlements = List.copyOf(worker.held).stream()
                    .map(claim ->
                            result.apply(claim).map(json -> passed(claim, json)).orElseGet(() -> failed(claim)))
                    .toList();
            if (worker.step(settlements, 64).claims().isEmpty() && settlements.isEmpty()) {
                tick();
                if (worker.step(List.of(), 64).claims().isEmpty()) {
                    return;
                }
            }
        }
        throw new AssertionError("there is no end");
    }

    /** How long a text is as UTF-8. */
    public static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    /** How many entries there are of the trees. */
    public long nodes() {
        return store.ask(redis -> redis.hlen(keys.nodes()));
    }

    @Override
    public void close() {
        workers.forEach(worker -> worker.session.close());
        tenant.close();
    }
}
