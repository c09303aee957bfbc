package dev.quiver.bench.history;

import java.io.Closeable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import dev.quiver.bench.quiver.Headquarters;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.taskset.TaskSetOpening;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.TrialFacts;
import dev.quiver.lifecycle.worker.TrialFailure;
import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.lifecycle.worker.WorkerIdentity;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerSessions;
import dev.quiver.lifecycle.worker.WorkerState;

/** A worker's session without a worker: settles tasks of a set and claims others, step by step, as a supervisor does. */
public final class Steps implements Closeable {

    private static final String POOL = "steps";
    private static final long TASKS = 1_000_000_000L;
    private static final Duration HEARTBEAT = Duration.ofSeconds(2);
    private static final Duration RUN_TIME = Duration.ofMillis(137);

    private final Headquarters headquarters;
    private final RedisStore store;
    private final WorkerSession session;
    private final String uid;
    private final WorkSource source;
    private StepRequest.Pace pace = StepRequest.Pace.PLAIN;
    private List<Claim> held = List.of();
    private long heartbeatAt = System.nanoTime();
    private long generation;

    private Steps(Headquarters headquarters, RedisStore store, WorkerSession session, String uid) {
        this.headquarters = headquarters;
        this.store = store;
        this.session = session;
        this.uid = uid;
        this.source = session.source(uid).orElseThrow();
    }

    /**
     * Opens a set in a namespace of its own, and a session that works at it.
     *
     * @param recordedIn uid of the namespace, where the set is recorded
     */
    static Steps open(int redisPort, String namespace, Optional<String> recordedIn) {
        Headquarters headquarters = recordedIn
                .map(uid -> Headquarters.recording(redisPort, namespace, uid))
                .orElseGet(() -> new Headquarters(redisPort, namespace));
        RedisStore store = Headquarters.connected(redisPort, "steps");
        String pool = headquarters.announce(POOL);
        String uid = headquarters.open(POOL, new TaskSource.Count(TASKS));
        return of(headquarters, store, pool, namespace, uid);
    }

    /** Opens a set of so many tasks, whose opening is changed so, and a session of the usual speed that works at it. */
    public static Steps open(int redisPort, String namespace, long tasks, UnaryOperator<TaskSetOpening> change) {
        Headquarters headquarters = new Headquarters(redisPort, namespace);
        RedisStore store = Headquarters.connected(redisPort, "steps");
        String pool = headquarters.announce(POOL);
        String uid = headquarters.open(POOL, new TaskSource.Count(tasks), change);
        Steps steps = of(headquarters, store, pool, namespace, uid);
        steps.pace = new StepRequest.Pace(StepRequest.Pace.USUAL, StepRequest.Pace.MOST_SLOTS);
        return steps;
    }

    private static Steps of(Headquarters headquarters, RedisStore store, String pool, String namespace, String uid) {
        WorkerIdentity pod =
                new WorkerIdentity(POOL, pool, POOL + "-0", UUID.randomUUID().toString(), "here", 64);
        WorkerSessions sessions = new Lifecycle(store).sessions(Keyspace.ofNamespace(namespace));
        if (sessions.open(pod) instanceof WorkerSessions.Outcome.Opened opened) {
            return new Steps(headquarters, store, opened.session(), uid);
        }
        throw new IllegalStateException("no session of " + namespace);
    }

    /** The run. */
    String uid() {
        return uid;
    }

    /** Claims so many, with nothing to settle. */
    public void claim(int size) {
        held = step(List.of(), size);
    }

    /**
     * Settles all that is held and claims as many.
     *
     * @param failing of a hundred settlements, with output
     * @return the tasks that were settled
     */
    public List<Claim> step(int failing) {
        List<Claim> settled = held;
        List<Settlement> settlements = new ArrayList<>(settled.size());
        for (Claim claim : settled) {
            long task = Long.parseLong(claim.id());
            settlements.add(task % 100 < failing ? failed(claim, task) : passed(claim));
        }
        held = step(settlements, settled.size());
        return settled;
    }

    private static Settlement passed(Claim claim) {
        return new Settlement.Passed(
                claim,
                RUN_TIME,
                Optional.empty(),
                Optional.empty(),
                new TrialFacts(claim.place().slot(), System.nanoTime(), Optional.empty()));
    }

    private static Settlement failed(Claim claim, long task) {
        TrialFacts.Detail detail = new TrialFacts.Detail(
                Optional.empty(), HistoryBounds.TAIL_BYTES, Load.tail(task), new byte[0], Optional.empty(), 0);
        return new Settlement.Failed(
                claim,
                RUN_TIME,
                TrialFailure.of(
                        claim.id(), 1, Optional.of(1), Optional.empty(), "NonZeroExit", "the program ended with 1"),
                Retry.NEVER,
                new TrialFacts(claim.place().slot(), System.nanoTime(), Optional.of(detail)));
    }

    private List<Claim> step(List<Settlement> settlements, int size) {
        if (System.nanoTime() - heartbeatAt > HEARTBEAT.toNanos()) {
            session.heartbeat(List.of(uid), WorkerState.of(size, false));
            heartbeatAt = System.nanoTime();
        }
        generation++;
        List<Place> places = IntStream.range(0, size)
                .mapToObj(slot -> Place.slot(slot, generation))
                .toList();
        StepCall call = source.prepare(new StepRequest(settlements, places, List.of(), pace));
        if (call.run() instanceof StepCall.Outcome.Done done && done.claims().size() == size) {
            return done.claims();
        }
        throw new IllegalStateException("a step did not get its " + size + " tasks");
    }

    /** Gives everything back, so that the next claim has another size. */
    public void giveBack() {
        StepCall call = source.prepare(new StepRequest(
                held.stream().<Settlement>map(Settlement.Returned::new).toList(), List.of(), List.of()));
        call.run();
        held = List.of();
    }

    /** Empties the stream that nobody reads; returns how many entries it had. */
    long forget() {
        return headquarters.forgetHistory();
    }

    @Override
    public void close() {
        session.close();
        headquarters.remove(uid);
        store.close();
        headquarters.close();
    }
}
