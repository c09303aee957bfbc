package dev.quiver.lifecycle.wires.queue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.execution.TaskInvocation;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.LeaderCalls;
import dev.quiver.lifecycle.keyspace.LeaseTimes;
import dev.quiver.lifecycle.redis.PatientStore;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
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

/** A fresh keyspace and a prefix that is granted to the pool p, and short ways to work under it. */
final class QueueWorld implements AutoCloseable {

    static final String[] SUM = {"sum.map", "sum.process", "sum.reduce"};

    private static final LeaseTimes BY_HAND = new LeaseTimes(Duration.ofMinutes(1), Duration.ofHours(1), Duration.ZERO);
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final SlotFacts SLOT = new SlotFacts(0, "pod", "in", "out", 1 << 20);

    final int number = NUMBER.incrementAndGet();
    final Keyspace keyspace = Keyspace.ofNamespace("jobs" + number);
    final String prefix = "queue" + number + ":";
    final RedisStore store;
    final QueueJobs jobs;
    final QueueGrants grants;
    final Reaper reaper;
    private final RedisStore tenant;
    private final SourceKinds kinds;
    private final List<Worker> workers = new ArrayList<>();

    QueueWorld(RedisServer redis, QueueType... types) {
        this.store = redis.store();
        Lifecycle lifecycle = new Lifecycle(store, BY_HAND);
        this.tenant = PatientStore.ofTenant(redis, keyspace.namespace(), Optional.of(prefix), Lifecycle.LIBRARY);
        this.kinds = new SourceKinds(List.of(QueueSource.ofWorker(tenant, keyspace, QueueSource.LOCK)));
        lifecycle.health(keyspace, 1).observe(Optional.empty());
        lifecycle.pools(keyspace, 1).announce("p", "p-uid");
        LeaderCalls calls = new LeaderCalls(store, keyspace, 1);
        this.jobs = new QueueJobs(calls, prefix, "p");
        this.grants = new QueueGrants(calls);
        grants.grant("p", prefix, List.of(types));
        this.reaper = new RedisReaper(tenant, keyspace, BY_HAND, kinds);
        reaper.tick();
    }

    /** A session at the pool, with the functions that it serves. */
    final class Worker {
        final WorkerSession session;
        final WorkSource source;
        private final List<String> served;
        private final String pod;
        final List<Claim> held = new ArrayList<>();

        private Worker(List<String> served, String pod, Duration adoption) {
            this.pod = pod;
            WorkerIdentity identity = new WorkerIdentity("p", "p-uid", pod, pod + "-uid", "node-1", 8);
            WorkerSessions sessions = new RedisWorkerSessions(tenant, keyspace, BY_HAND, kinds);
            this.session = ((WorkerSessions.Outcome.Opened) sessions.open(identity, adoption)).session();
            this.source = session.source(QueueSource.source("p")).orElseThrow();
            this.served = served;
            workers.add(this);
        }

        /** The next session of its pod, which may adopt what it held. */
        Worker successor() {
            return new Worker(served, pod, WorkerSessions.LONGEST_ADOPTION);
        }

        StepCall call(List<Settlement> settlements, int wanted) {
            List<Place> places =
                    IntStream.range(0, wanted).mapToObj(i -> Place.slot(i, 1)).toList();
            return source.prepare(new StepRequest(settlements, places, served));
        }

        StepCall.Outcome.Done step(List<Settlement> settlements, int wanted) {
            StepCall.Outcome.Done done =
                    (StepCall.Outcome.Done) call(settlements, wanted).run();
            settlements.forEach(settlement -> held.remove(settlement.claim()));
            held.addAll(done.claims());
            return done;
        }

        List<Claim> claim(int wanted) {
            return step(List.of(), wanted).claims();
        }

        Claim claimOne() {
            List<Claim> claims = claim(64);
            if (claims.size() != 1) {
                throw new AssertionError(claims + " instead of one claim");
            }
            return claims.getFirst();
        }

        /** The one argument that the function gets, as JSON. */
        String argument(Claim claim) {
            QueueTask task =
                    (QueueTask) (claim.task().isReady() ? claim.task() : source.complete(claim.task(), 1 << 20));
            TaskInvocation.Handler invocation = (TaskInvocation.Handler) task.render(SLOT);
            String array = new String(invocation.input().bytes(), StandardCharsets.UTF_8);
            return array.substring(1, array.length() - 1);
        }

        /** The operator sees what becomes of its pod. */
        void noteFate(String fate) {
            new Lifecycle(store).pools(keyspace, 1).noteFate("p", pod + "-uid", fate);
        }

        void die() {
            store.ask(redis -> redis.zadd(keyspace.sessions(), 1, session.id()));
            reaper.tick();
        }
    }

    Worker worker(String... served) {
        return new Worker(List.of(served), "pod-" + workers.size(), Duration.ZERO);
    }

    /** As the programs' task_add has it. */
    String push(String type, String id, String data) {
        String job = prefix + type + ":" + id;
        store.ask(redis -> redis.sadd(prefix + "pending", job));
        store.ask(redis -> redis.hset(job, Map.of("data", data, "type", type, "retries", "0", "state", "pending")));
        return job;
    }

    /** As their task_add_postponed has it. */
    String postpone(String type, String id, String data, long dueMillis) {
        String job = prefix + type + ":" + id;
        store.ask(redis -> redis.zadd(prefix + "postponed", dueMillis, job));
        store.ask(redis ->
                redis.hset(job + ":postponed", Map.of("data", data, "type", type, "retries", "0", "state", "pending")));
        return job;
    }

    void tick() {
        QueueSource.ofWorker(tenant, keyspace, QueueSource.LOCK).promote(QueueSource.source("p"), new CallBudget(100));
    }

    /** Lets all that has a deadline under the prefix be due now. */
    void hurry(String zset) {
        List<String> members = store.ask(redis -> redis.zrange(zset, 0, -1));
        members.forEach(member -> store.ask(redis -> redis.zadd(zset, 1, member)));
    }

    /** All keys under the prefix with what they hold, scores aside, as a recording has them. */
    Map<String, String> keys() {
        Map<String, String> all = new TreeMap<>();
        List<String> keys = store.ask(redis -> redis.keys(prefix + "*"));
        for (String key : keys) {
            String kind = store.ask(redis -> redis.type(key));
            Object value = switch (kind) {
                case "hash" -> {
                    Map<String, String> fields = store.ask(redis -> redis.hgetall(key));
                    yield new TreeMap<>(fields);
                }
                case "set" ->
                    store.<java.util.Set<String>>ask(redis -> redis.smembers(key)).stream()
                            .sorted()
                            .toList();
                default ->
                    store.<List<String>>ask(redis -> redis.zrange(key, 0, -1)).stream()
                            .sorted()
                            .toList();
            };
            all.put(key, kind + " " + value);
        }
        return all;
    }

    static Settlement passed(Claim claim, String json) {
        return claim.task().brings()
                ? new Settlement.Passed(
                        claim,
                        Duration.ofMillis(1),
                        Optional.empty(),
                        Optional.of(new ExecutionInput.Payload(
                                json.getBytes(StandardCharsets.UTF_8), ExecutionInput.Format.JSON, false)))
                : new Settlement.Passed(claim, Duration.ofMillis(1), Optional.of(TaskResult.of(json)));
    }

    static Settlement failed(Claim claim) {
        return new Settlement.Failed(
                claim,
                Duration.ofMillis(1),
                TrialFailure.of(claim.task().name(), claim.trial(), Optional.of(3), Optional.empty(), "Error", "no"));
    }

    @Override
    public void close() {
        workers.forEach(worker -> worker.session.close());
        tenant.close();
    }
}
