package dev.quiver.controller.rig;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.api.model.Pod;
import org.awaitility.Awaitility;

import dev.quiver.crds.v1alpha1.Quiver;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.redis.StoreUnreachableException;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.TrialFailure;
import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.lifecycle.worker.WorkerIdentity;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerSessions;
import dev.quiver.lifecycle.worker.WorkerState;

/**
 * A worker without slots: talks to Redis as a supervisor does, and says at once how each task ended. It renews its
 * lease by itself until it is closed. Its other calls are for one thread.
 */
public final class NoopWorker implements AutoCloseable {

    private static final int PLACES = 4;
    private static final Duration HEARTBEAT = Duration.ofSeconds(1);

    private final RedisStore redis;
    private final Keyspace keyspace;
    private final WorkerSession session;
    private final Map<String, WorkSource> sources = new HashMap<>();
    private final List<Claim> held = new ArrayList<>();
    private final ScheduledExecutorService heart = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("noop-worker").daemon().factory());
    private WorkerState said = WorkerState.of(0, false);

    private volatile boolean deniesDraining;

    private NoopWorker(RedisStore redis, WorkerSession session, Keyspace keyspace) {
        this.redis = redis;
        this.keyspace = keyspace;
        this.session = session;
        heart.scheduleWithFixedDelay(this::renew, HEARTBEAT.toMillis(), HEARTBEAT.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Says again what it said last. */
    private synchronized void renew() {
        try {
            say(said);
        } catch (StoreException e) {
            // Away, perhaps because the test wants it so: the next heartbeat tries again.
        }
    }

    /** In that pod, in the keyspace of its namespace; absent when Redis does not let it in yet. */
    public static Optional<NoopWorker> in(Pod pod, String redisUri) {
        return in(pod, redisUri, Keyspace.ofNamespace(pod.getMetadata().getNamespace()));
    }

    /** In that pod; absent when Redis does not let it in yet. */
    public static Optional<NoopWorker> in(Pod pod, String redisUri, Keyspace keyspace) {
        return in(pod, RedisStore.open(RedisEndpoint.standalone(redisUri), "noop-worker", Lifecycle.LIBRARY), keyspace);
    }

    /** In that pod, in the keyspace of its namespace, and without the library of this release. */
    static Optional<NoopWorker> ofBefore(Pod pod, String redisUri) {
        return in(
                pod,
                RedisStore.open(RedisEndpoint.standalone(redisUri), "noop-worker"),
                Keyspace.ofNamespace(pod.getMetadata().getNamespace()));
    }

    private static Optional<NoopWorker> in(Pod pod, RedisStore redis, Keyspace keyspace) {
        WorkerIdentity identity = new WorkerIdentity(
                pod.getMetadata().getLabels().get(Quiver.POOL_LABEL),
                pod.getMetadata().getOwnerReferences().getFirst().getUid(),
                pod.getMetadata().getName(),
                pod.getMetadata().getUid(),
                "node-1",
                PLACES);
        try {
            WorkerSessions.Outcome outcome =
                    new Lifecycle(redis).sessions(keyspace).open(identity);
            if (outcome instanceof WorkerSessions.Outcome.Opened(WorkerSession session)) {
                return Optional.of(new NoopWorker(redis, session, keyspace));
            }
        } catch (StoreException e) {
            // Away, or its user is not made yet: a supervisor tries again too.
        }
        redis.close();
        return Optional.empty();
    }

    /** The word that its session has of the end of its pod. */
    public Optional<String> fate() {
        return Optional.ofNullable(redis.ask(commands -> commands.hget(keyspace.session(session.id()), "fate")));
    }

    /** Claims up to so many tasks of the next set, at most four, and holds them; returns how many it holds now. */
    public int claim(int tasks) throws InterruptedException {
        if (session.pick(List.of(), List.of()) instanceof WorkerSession.PickOutcome.Picked(String uid)) {
            step(uid, List.of(), tasks);
        }
        return held.size();
    }

    /** Says that every held task passed. */
    public void pass() throws InterruptedException {
        settle(c -> new Settlement.Passed(c, Duration.ofMillis(5)));
    }

    /** Says that every held task passed, with that result. */
    public void pass(String json) throws InterruptedException {
        pass(claim -> json);
    }

    /** Says that every held task passed, each with a result of its own. */
    public void pass(Function<Claim, String> json) throws InterruptedException {
        settle(c -> new Settlement.Passed(
                c,
                Duration.ofMillis(5),
                Optional.of(TaskResult.of(json.apply(c))),
                Optional.of(json.apply(c))
                        .filter(_ -> c.task().brings())
                        .map(chunks -> new ExecutionInput.Payload(
                                chunks.getBytes(StandardCharsets.UTF_8), ExecutionInput.Format.JSON, false))));
    }

    /** Says that every held task passed, with what its function or its plan brought: an object in the format of effects. */
    public void bring(String effects) throws InterruptedException {
        settle(c -> new Settlement.Passed(
                c,
                Duration.ofMillis(5),
                Optional.empty(),
                Optional.of(new ExecutionInput.Payload(
                        effects.getBytes(StandardCharsets.UTF_8), ExecutionInput.Format.EFFECTS, false))));
    }

    /** Brings a page of the list of the program that it holds. */
    public boolean list(int page, String text) {
        Claim claim = held.getFirst();
        return source(claim.uid()).list(claim, page, text);
    }

    /** The names of the tasks that it holds. */
    public List<String> names() {
        return held.stream().map(claim -> claim.task().name()).toList();
    }

    /** The inputs that its tasks find, as a text. */
    public List<String> inputs() {
        SlotFacts facts = new SlotFacts(0, "pod", "/input", "/output", ExecutionInput.MAX_INLINE_BYTES);
        return held.stream()
                .map(claim -> completed(claim).render(facts).input().bytes())
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                .toList();
    }

    private RunnableTask completed(Claim claim) {
        RunnableTask task = claim.task();
        return task.isReady() ? task : source(claim.uid()).complete(task, ExecutionInput.MAX_INLINE_BYTES);
    }

    /** Says that every held task failed. */
    public void fail() throws InterruptedException {
        fail("no such file");
    }

    /** Says that every held task failed, with those words. */
    public void fail(String message) throws InterruptedException {
        settle(c -> new Settlement.Failed(
                c,
                Duration.ofMillis(5),
                TrialFailure.of(c.id(), c.trial(), Optional.of(3), Optional.empty(), "NonZeroExit", message)));
    }

    /** Claims and passes until nothing is left; returns how many tasks it ran. */
    public int passAll() throws InterruptedException {
        int run = 0;
        while (claim(PLACES) > 0) {
            run += held.size();
            pass();
        }
        return run;
    }

    /** Whether the operator wants it to take no more work, as it heard last. */
    public boolean draining() {
        return said.draining();
    }

    /** Does not say that it drains, whatever it hears from now on: an idle worker that says so is deleted. */
    public void denyDraining() {
        deniesDraining = true;
    }

    /** Says at its heartbeat how many slots are busy. */
    public void heartbeat() {
        say(new WorkerState(held.size(), said.draining(), said.handlers(), said.trouble()));
    }

    /** Says at its heartbeat which functions its handler processes serve. */
    public void serve(String... handlers) {
        say(new WorkerState(held.size(), false, List.of(handlers), Optional.empty()));
    }

    /** Says at its heartbeat what its container did against the rules of the slots. */
    public void complain(String message) {
        say(new WorkerState(held.size(), false, List.of(), Optional.of(message)));
    }

    /** It drains as long as the operator wants it to, and says so from the next heartbeat on. */
    private synchronized void say(WorkerState state) {
        WorkerState told =
                deniesDraining ? new WorkerState(state.busySlots(), false, state.handlers(), state.trouble()) : state;
        WorkerSession.HeartbeatOutcome outcome = session.heartbeat(List.of(), told);
        boolean drains = outcome instanceof WorkerSession.HeartbeatOutcome.Renewed renewed && renewed.draining();
        said = new WorkerState(state.busySlots(), drains, state.handlers(), state.trouble());
    }

    private WorkSource source(String uid) {
        return sources.computeIfAbsent(uid, unknown -> session.source(uid).orElseThrow());
    }

    private void settle(Function<Claim, Settlement> settlement) throws InterruptedException {
        List<Claim> now = List.copyOf(held);
        held.clear();
        if (!now.isEmpty()) {
            step(now.getFirst().uid(), now.stream().map(settlement).toList(), 0);
        }
    }

    /** As a supervisor does: the same call until its outcome is known. */
    private void step(String uid, List<Settlement> settlements, int places) throws InterruptedException {
        List<Place> free =
                IntStream.range(0, places).mapToObj(i -> Place.slot(i, 1)).toList();
        StepCall call = source(uid).prepare(new StepRequest(settlements, free, said.handlers()));
        StepCall.Outcome outcome =
                Awaitility.await().ignoreExceptionsMatching(NoopWorker::passes).until(call::run, any -> true);
        if (outcome instanceof StepCall.Outcome.Done done) {
            held.addAll(done.claims());
        }
    }

    private static boolean passes(Throwable problem) {
        return problem instanceof StoreUnreachableException
                || problem instanceof StoreRefusedException refused && refused.passing();
    }

    @Override
    public void close() {
        heart.shutdownNow();
        session.close();
        redis.close();
    }
}
