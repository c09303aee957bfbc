package dev.quiver.lifecycle.wires.idoit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.JsonNode;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.LeaderCalls;
import dev.quiver.lifecycle.keyspace.LeaseTimes;
import dev.quiver.lifecycle.redis.PatientStore;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;
import dev.quiver.lifecycle.worker.CallBudget;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Reaper;
import dev.quiver.lifecycle.worker.RedisReaper;
import dev.quiver.lifecycle.worker.RedisWorkerSessions;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.SourceKinds;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.TrialFailure;
import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.lifecycle.worker.WorkerIdentity;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerSessions;

/** A fresh keyspace and a prefix that is granted to the pools p and q, and short ways to work under it. */
final class IdoitWorld implements AutoCloseable {

    private static final LeaseTimes BY_HAND = new LeaseTimes(Duration.ofMinutes(1), Duration.ofHours(1), Duration.ZERO);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    final int number = NUMBER.incrementAndGet();
    final Keyspace keyspace = Keyspace.ofNamespace("idoit" + number);
    final String prefix = "idoit" + number + ":";
    final RedisStore store;
    private final RedisStore tenant;
    final IdoitTrees trees;
    final IdoitGrants grants;
    final Reaper reaper;
    private final SourceKinds kinds;
    private final List<Worker> workers = new ArrayList<>();

    IdoitWorld(RedisServer redis, IdoitType... types) {
        this(redis, IdoitQueues.LOCK, types);
    }

    /** With locks that last so long. */
    IdoitWorld(RedisServer redis, Duration lock, IdoitType... types) {
        this.store = redis.store();
        Lifecycle lifecycle = new Lifecycle(store, BY_HAND);
        this.tenant = PatientStore.ofTenant(redis, keyspace.namespace(), Optional.of(prefix), Lifecycle.LIBRARY);
        this.kinds = new SourceKinds(List.of(IdoitQueues.ofWorker(tenant, keyspace, lock)));
        lifecycle.health(keyspace, 1).observe(Optional.empty());
        LeaderCalls calls = new LeaderCalls(store, keyspace, 1);
        this.trees = new IdoitTrees(calls, prefix, "p");
        this.grants = new IdoitGrants(calls);
        for (String pool : List.of("p", "q")) {
            pool(pool, types);
        }
        this.reaper = new RedisReaper(tenant, keyspace, BY_HAND, kinds);
        reaper.tick();
    }

    /** Makes a pool that may use the prefix. */
    void pool(String pool, IdoitType... types) {
        new Lifecycle(store, BY_HAND).pools(keyspace, 1).announce(pool, pool + "-uid");
        grants.grant(pool, prefix, List.of(types));
    }

    /** A session at a pool, with the handlers that it serves. */
    final class Worker {
        final WorkerSession session;
        final WorkSource source;
        private final List<String> served;
        private final String pool;
        private final String pod;
        final List<Claim> held = new ArrayList<>();

        Worker(String pool, List<String> served) {
            this(pool, served, "pod-" + workers.size(), Duration.ZERO);
        }

        private Worker(String pool, List<String> served, String pod, Duration adoption) {
            this.pool = pool;
            this.pod = pod;
            WorkerIdentity identity = new WorkerIdentity(pool, pool + "-uid", pod, pod + "-uid", "node-1", 8);
            WorkerSessions sessions = new RedisWorkerSessions(tenant, keyspace, BY_HAND, kinds);
            this.session = ((WorkerSessions.Outcome.Opened) sessions.open(identity, adoption)).session();
            this.source = session.source(IdoitQueues.source(pool)).orElseThrow();
            this.served = served;
            workers.add(this);
        }

        /** The next session of its pod, which may adopt what it held. */
        Worker successor() {
            return new Worker(pool, served, pod, WorkerSessions.LONGEST_ADOPTION);
        }

        StepCall.Outcome.Done step(List<Settlement> settlements, int wanted) {
            List<Place> places =
                    IntStream.range(0, wanted).mapToObj(i -> Place.slot(i, 1)).toList();
            StepCall.Outcome.Done done = (StepCall.Outcome.Done)
                    source.prepare(new StepRequest(settlements, places, served)).run();
            settlements.forEach(settlement -> held.remove(settlement.claim()));
            held.addAll(done.claims());
            done.rest().ifPresent(Runnable::run);
            return done;
        }

        /** Claims what there is, 64 at most, after all commands that are due. */
        List<Claim> claim() {
            step(List.of(), 0);
            return step(List.of(), 64).claims();
        }

        Claim claimOne() {
            List<Claim> claims = claim();
            if (claims.size() != 1) {
                throw new AssertionError(claims + " instead of one claim");
            }
            return claims.getFirst();
        }

        void pass(Claim claim, String json) {
            step(List.of(passed(claim, json)), 0);
        }

        /** The operator sees what becomes of its pod. */
        void noteFate(String fate) {
            new Lifecycle(store).pools(keyspace, 1).noteFate(pool, pod + "-uid", fate);
        }

        void die() {
            store.ask(redis -> redis.zadd(keyspace.sessions(), 1, session.id()));
            reaper.tick();
        }
    }

    Worker worker(String pool, String... served) {
        return new Worker(pool, List.of(served));
    }

    /** The watchdogs of a pool, and commands that are due. */
    void tick(String pool) {
        IdoitQueues.ofWorker(store, keyspace, IdoitQueues.LOCK).promote(IdoitQueues.source(pool), new CallBudget(1000));
    }

    static TreeNode leaf(String handler, Object... args) {
        return leafIn("p", handler, args);
    }

    static TreeNode leafIn(String pool, String handler, Object... args) {
        return new TreeNode.Leaf(pool, Optional.of(handler), 2, 1, body(handler, args));
    }

    static TaskBody body(String handler, Object... args) {
        return new TaskBody(
                handler + "-node",
                Optional.of(new Execution.Handler(handler)),
                Arrays.stream(args)
                        .<JsonNode>map(arg -> JsJson.read(arg.toString()))
                        .toList(),
                Map.of(),
                Optional.empty(),
                RetryBackoff.NONE);
    }

    static TreeNode chain(TreeNode... children) {
        return new TreeNode.Chain(
                Arrays.asList(children), OnChildError.FAIL, Optional.empty(), TaskBody.named("chain"));
    }

    static TreeNode group(TreeNode... children) {
        return new TreeNode.Group(
                Arrays.asList(children), 0, OnChildError.FAIL, Optional.empty(), TaskBody.named("group"));
    }

    static TreeNode iterator(String handler, Object... args) {
        return new TreeNode.IteratorNode(
                "p", Optional.of(handler), 2, 1000, OnChildError.FAIL, Optional.empty(), body(handler, args));
    }

    void begin(String id, TreeNode root) {
        trees.create(TaskTree.of(id, root));
    }

    /** The task as a hash of JSON texts; empty for one that is gone. */
    Map<String, String> task(String id) {
        return store.ask(redis -> redis.hgetall(prefix + id));
    }

    String state(String id) {
        return task(id).get("state");
    }

    /** Keys under the prefix. */
    List<String> keys() {
        return store.ask(redis -> redis.keys(prefix + "*")).stream().sorted().toList();
    }

    /** Lets what is due at a later time be due now. */
    void hurry(String zset) {
        List<String> members = store.ask(redis -> redis.zrange(prefix + zset, 0, -1));
        members.forEach(member -> store.ask(redis -> redis.zadd(prefix + zset, 1, member)));
    }

    static Settlement passed(Claim claim, String json) {
        return new Settlement.Passed(
                claim, Duration.ofMillis(1), json.isEmpty() ? Optional.empty() : Optional.of(TaskResult.of(json)));
    }

    static Settlement failed(Claim claim) {
        return new Settlement.Failed(
                claim,
                Duration.ofMillis(1),
                TrialFailure.of(claim.task().name(), claim.trial(), Optional.of(3), Optional.empty(), "Error", "no"));
    }

    static Settlement lost(Claim claim, String message) {
        return new Settlement.Lost(
                claim,
                TrialFailure.of(
                        claim.task().name(), claim.trial(), Optional.empty(), Optional.empty(), "WorkerLost", message));
    }

    static String arguments(Claim claim) {
        return ((IdoitTask) claim.task()).arguments();
    }

    @Override
    public void close() {
        workers.forEach(worker -> worker.session.close());
        tenant.close();
    }
}
