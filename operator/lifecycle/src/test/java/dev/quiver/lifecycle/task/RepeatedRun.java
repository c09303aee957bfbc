package dev.quiver.lifecycle.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.StoreUnreachableException;
import dev.quiver.lifecycle.task.TaskNode.OnChildError;
import dev.quiver.lifecycle.worker.CallBudget;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.Takeover;
import dev.quiver.lifecycle.worker.TaskFailure;
import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.lifecycle.worker.WorkerIdentity;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerSessions;

/**
 * One tree of every kind of node over two pools, worked off by calls that are always the same. A call that finds no Redis
 * is repeated. A life that was cut off is lived again from its beginning, as its programs would when they start anew.
 */
final class RepeatedRun {

    private static final String TREE = "t";
    private static final List<String> POOLS = List.of("p", "q");

    private final RedisStore store;
    private final Keyspace keyspace;
    private final Lifecycle lifecycle;

    RepeatedRun(RedisStore store, Keyspace keyspace) {
        this.store = store;
        this.keyspace = keyspace;
        this.lifecycle = new Lifecycle(store, World.BY_HAND);
    }

    /** A keyspace with pools, which is made once more where it is. */
    void settle() {
        lifecycle.health(keyspace, 1).observe(Optional.empty());
        POOLS.forEach(pool -> lifecycle.pools(keyspace, 1).announce(pool, pool + "-uid"));
        lifecycle.reaper(keyspace).tick();
    }

    private <T> T sure(Supplier<T> call) {
        for (int i = 0; i < 100; i++) {
            try {
                return call.get();
            } catch (StoreUnreachableException lost) {
                Awaitility.await()
                        .ignoreException(StoreUnreachableException.class)
                        .untilAsserted(store::ping);
            }
        }
        throw new AssertionError("Redis is never there");
    }

    private static TaskNode tree() {
        TaskNode iterator = new TaskNode.IteratorNode(
                "q", Optional.of("h"), 1, 2, OnChildError.FAIL, Optional.empty(), World.body("iterate", "h"));
        TaskNode twice = new TaskNode.Leaf("p", Optional.of("h"), 2, 1, World.body("twice", "h"));
        return World.chain(
                World.leaf("list"),
                World.each(World.leaf("page", "q", "h"), 1),
                World.group(twice, World.leaf("a", "q", "h"), iterator),
                World.leaf("end"));
    }

    /** All of it, from the first call to the end of the tree. */
    void live() {
        TaskTrees trees = lifecycle.trees(keyspace);
        TaskTree tree = new TaskTree(
                TREE, tree(), Optional.of(World.leaf("tidy")), true, Optional.empty(), Duration.ZERO, Optional.empty());
        sure(() -> trees.create(tree));
        List<Worker> workers = POOLS.stream().map(Worker::new).toList();
        TaskQueues queues = new TaskQueues(store, keyspace);
        for (int i = 0; !sure(() -> trees.find(TREE)).orElseThrow().over(); i++) {
            assertThat(i).as("turns to the end").isLessThan(200);
            workers.forEach(Worker::work);
            promote(queues);
        }
        for (int i = 0; i < 3; i++) {
            promote(queues);
        }
        workers.forEach(worker -> sure(() -> {
            worker.session.close();
            return worker;
        }));
    }

    private void promote(TaskQueues queues) {
        sure(() -> {
            queues.promote("tasks:", new CallBudget(100));
            return queues;
        });
    }

    private final class Worker {
        private final WorkerSession session;
        private final WorkSource source;
        private final List<Claim> held;

        Worker(String pool) {
            WorkerIdentity identity =
                    new WorkerIdentity(pool, pool + "-uid", pool + "-0", pool + "-0-uid", "node-1", 8);
            WorkerSessions sessions = lifecycle.sessions(keyspace);
            this.session = ((WorkerSessions.Outcome.Opened)
                            sure(() -> sessions.open(identity, WorkerSessions.LONGEST_ADOPTION)))
                    .session();
            List<Takeover> all = session.orphans().stream()
                    .map(orphan -> new Takeover(orphan.uid(), orphan.id(), orphan.place()))
                    .toList();
            this.held = new ArrayList<>(sure(() -> session.adopt(all)));
            this.source = session.source(TaskQueues.source(pool)).orElseThrow();
        }

        void work() {
            List<Settlement> settlements =
                    held.stream().map(RepeatedRun::settlement).toList();
            List<Place> places =
                    IntStream.range(0, 3).mapToObj(i -> Place.slot(i, 1)).toList();
            StepCall call = source.prepare(new StepRequest(settlements, places, List.of("h")));
            StepCall.Outcome.Done done = (StepCall.Outcome.Done) sure(call::run);
            held.clear();
            held.addAll(done.claims());
        }
    }

    private static Settlement settlement(Claim claim) {
        String name = claim.task().name();
        if (name.equals("twice") && claim.trial() == 1) {
            TaskFailure no = new TaskFailure(name, 1, Optional.of(1), Optional.empty(), "Error", "no", true);
            return new Settlement.Failed(claim, Duration.ofMillis(1), no, Retry.AT_ONCE);
        }
        String json = switch (name) {
            case "list" -> "[1,2]";
            case "iterate" -> answer(((TaskLeaf) claim.task()).progress().startsWith("0 "));
            default -> "\"" + name + "\"";
        };
        return new Settlement.Passed(claim, Duration.ofMillis(1), Optional.of(TaskResult.of(json)));
    }

    private static String answer(boolean first) {
        String child = "{\"handler\":\"h\",\"name\":\"child\",\"pool\":\"p\"}";
        return first ? "{\"state\":1,\"tasks\":[" + child + "," + child + "]}" : "{\"result\":7}";
    }

    private static Map<String, String> sorted(Map<String, String> hash) {
        return new TreeMap<>(hash);
    }

    /** All that the keyspace holds, but for times and how often workers joined in. */
    Map<String, String> remains() {
        Map<String, String> remains = new TreeMap<>();
        for (String key : store.ask(redis -> redis.keys(keyspace.prefix() + "*"))) {
            String value = switch (store.ask(redis -> redis.type(key))) {
                case "hash" -> sorted(store.ask(redis -> redis.hgetall(key))).toString();
                case "zset" -> store.ask(redis -> redis.zrange(key, 0, -1)).toString();
                case "set" -> store.ask(redis -> redis.smembers(key)).toString();
                case "list" -> store.ask(redis -> redis.lrange(key, 0, -1)).toString();
                default -> store.ask(redis -> redis.get(key));
            };
            remains.put(
                    key.substring(keyspace.prefix().length()),
                    value.replaceAll("\\b\\d{13}\\b", "time").replaceFirst("joined=\\d+", "joined"));
        }
        // How often something changed, tokens that wake workers, and workers whose farewell was lost: their leases end.
        remains.keySet().removeIf(key -> key.matches("meta|.*:wake|session:.*|sessions|pool:.*:(pods|workers)"));
        return remains;
    }
}
