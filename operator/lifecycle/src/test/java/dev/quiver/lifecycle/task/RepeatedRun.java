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
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.Takeover;
import dev.quiver.lifecycle.worker.TrialFailure;
import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.lifecycle.worker.WorkerIdentity;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerSessions;

/**
 * One tree of every kind of node of a dialect over two pools, worked off by calls that are always the same. A call that
 * finds no Redis is repeated. A life that was cut off is lived again from its beginning, as its programs would when they
 * start anew.
 */
public abstract class RepeatedRun {

    protected static final String TREE = "t";
    protected static final List<String> POOLS = List.of("p", "q");

    protected final RedisStore store;
    protected final Keyspace keyspace;
    protected final Lifecycle lifecycle;

    protected RepeatedRun(RedisStore store, Keyspace keyspace) {
        this.store = store;
        this.keyspace = keyspace;
        this.lifecycle = new Lifecycle(store, World.BY_HAND);
    }

    /** The trees of the dialect. */
    protected abstract Trees trees();

    /** The source that is worked off. */
    protected abstract TaskTree tree();

    /** Whether its tree has ended. */
    protected abstract boolean over();

    /** How workers join in. */
    protected abstract WorkerSessions sessions();

    /** The source of a pool's tasks. */
    protected abstract String source(String pool);

    /** Functions that each worker has. */
    protected abstract List<String> served();

    /** Runs what is due. */
    protected abstract void promote();

    /** Whether an iterator's function is called for the first time. */
    protected abstract boolean first(Claim claim);

    /** A keyspace with pools, which is made once more where it is. */
    public void settle() {
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

    /** All of it, from the first call to the end of the tree. */
    public void live() {
        sure(() -> trees().create(tree()));
        List<Worker> workers = POOLS.stream().map(Worker::new).toList();
        for (int i = 0; !sure(this::over); i++) {
            assertThat(i).as("turns to the end").isLessThan(200);
            workers.forEach(Worker::work);
            surely(this::promote);
        }
        for (int i = 0; i < 3; i++) {
            surely(this::promote);
        }
        workers.forEach(worker -> surely(worker.session::close));
    }

    private void surely(Runnable call) {
        sure(() -> {
            call.run();
            return call;
        });
    }

    private final class Worker {
        private final WorkerSession session;
        private final WorkSource source;
        private final List<Claim> held;

        Worker(String pool) {
            WorkerIdentity identity =
                    new WorkerIdentity(pool, pool + "-uid", pool + "-0", pool + "-0-uid", "node-1", 8);
            this.session = ((WorkerSessions.Outcome.Opened)
                            sure(() -> sessions().open(identity, WorkerSessions.LONGEST_ADOPTION)))
                    .session();
            List<Takeover> all = session.orphans().stream()
                    .map(orphan -> new Takeover(orphan.uid(), orphan.id(), orphan.place()))
                    .toList();
            this.held = new ArrayList<>(sure(() -> session.adopt(all)));
            this.source = sure(() -> session.source(source(pool))).orElseThrow();
        }

        void work() {
            List<Settlement> settlements =
                    held.stream().map(RepeatedRun.this::settlement).toList();
            List<Place> places =
                    IntStream.range(0, 3).mapToObj(i -> Place.slot(i, 1)).toList();
            StepCall call = source.prepare(new StepRequest(settlements, places, served()));
            StepCall.Outcome.Done done = (StepCall.Outcome.Done) sure(call::run);
            held.clear();
            held.addAll(done.claims());
            surely(() -> rest(done));
        }
    }

    /** Follows what a step has left to its caller. */
    protected void rest(StepCall.Outcome.Done done) {}

    /** The name of what runs. */
    protected String name(Claim claim) {
        return claim.task().name();
    }

    private Settlement settlement(Claim claim) {
        String name = name(claim);
        if (name.equals("twice") && claim.trial() == 1) {
            TrialFailure no = new TrialFailure(name, 1, Optional.of(1), Optional.empty(), "Error", "no", true);
            return new Settlement.Failed(claim, Duration.ofMillis(1), no, Retry.AT_ONCE);
        }
        String json = switch (name) {
            case "list" -> "[1,2]";
            case "iterate" -> answer(first(claim));
            default -> "\"" + name + "\"";
        };
        return new Settlement.Passed(claim, Duration.ofMillis(1), Optional.of(TaskResult.of(json)));
    }

    /** The answer of an iterator's function. */
    protected String answer(boolean first) {
        String child = "{\"handler\":\"h\",\"name\":\"child\",\"pool\":\"p\"}";
        return first ? "{\"state\":1,\"tasks\":[" + child + "," + child + "]}" : "{\"result\":7}";
    }

    private static Map<String, String> sorted(Map<String, String> hash) {
        return new TreeMap<>(hash);
    }

    /**
     * All that the keyspace holds, but for times, how often workers joined in, and the numbers under which nodes were queued
     * last. A life that begins anew turns to the first pool again, so its retries may come in another order.
     */
    public Map<String, String> remains() {
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
                    value.replaceAll("\\b\\d{13}\\b", "time")
                            .replaceFirst("joined=\\d+", "joined")
                            .replaceAll("=([LCGEIK](?:\t[^\t]*){9}\t)\\d+", "=$1queued"));
        }
        // How often something changed, tokens that wake workers, and workers whose farewell was lost: their leases end.
        remains.keySet().removeIf(key -> key.matches("meta|.*:wake|session:.*|sessions|pool:.*:(pods|workers)"));
        return remains;
    }
}
