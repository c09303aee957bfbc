package dev.quiver.supervisor.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.taskset.StatusChange;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetOpening;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.taskset.TaskSetState;
import dev.quiver.slots.rig.Patience;
import dev.quiver.supervisor.PoolFixture;
import dev.quiver.supervisor.engine.store.Counter;
import dev.quiver.supervisor.engine.store.StoreTrouble;
import dev.quiver.supervisor.execution.BatchExecutor;
import dev.quiver.supervisor.execution.HandExecutor;
import dev.quiver.supervisor.execution.NoopExecutor;
import dev.quiver.supervisor.execution.TaskExecutor;
import dev.quiver.supervisor.execution.TimedExecutor;

class EngineRedisIT {

    /** With everysec a slow disk delays a write for up to 2 s, and a kill loses it; without fsync none is delayed. */
    @RegisterExtension
    static final RedisServer REDIS = new RedisServer("--appendonly", "yes", "--appendfsync", "no");

    private static final String SET = "set-1";

    private final List<Engine> engines = new ArrayList<>();
    private PoolFixture pool;

    @BeforeEach
    void openPool() {
        pool = new PoolFixture(REDIS.endpoint());
    }

    @AfterEach
    void close() {
        engines.forEach(Engine::close);
        pool.close();
    }

    private Engine start(String pod, TaskExecutor executor) {
        return start(pod, executor, pool.lifecycle());
    }

    private Engine start(String pod, TaskExecutor executor, Lifecycle lifecycle) {
        Engine engine = new Engine(
                lifecycle.sessions(pool.keyspace()),
                lifecycle.reaper(pool.keyspace()),
                executor,
                new EngineSettings(PoolFixture.worker(pod, executor.slots()), Duration.ZERO),
                new StoreTrouble());
        engines.add(engine);
        engine.start();
        return engine;
    }

    private void awaitSuccess(String uid, long tasks) {
        await().untilAsserted(() -> {
            TaskSetSnapshot now = pool.snapshot(uid);
            assertThat(now.status()).isEqualTo(TaskSetState.SUCCEEDED);
            assertThat(now.succeeded()).isEqualTo(tasks);
        });
    }

    @Test
    void countsEveryTaskOnce() {
        pool.open(SET, 20_000, TaskSetLimits.DEFAULT, "true");
        Engine engine = start("a", new NoopExecutor(8));
        awaitSuccess(SET, 20_000);
        assertThat(pool.snapshot(SET).trials()).isEqualTo(20_000);
        // Counted when the reply arrives, which is after the snapshot can show it.
        await().untilAsserted(
                        () -> assertThat(engine.stats().of(Counter.PASSED)).isEqualTo(20_000));
    }

    @Test
    void wakesForASetThatIsOpenedLater() {
        Engine engine = start("a", new NoopExecutor(2));
        await().until(() -> engine.status().session().isPresent());
        pool.open(SET, 10, TaskSetLimits.DEFAULT, "true");
        awaitSuccess(SET, 10);
    }

    @Test
    void claimsFromASetThatIsFedSlowlyWithoutAPickForEachTask() {
        pool.openFed(SET, "true");
        Engine engine = start("a", new NoopExecutor(2));
        long begun = System.nanoTime();
        for (int task = 0; task < 40; task++) {
            long expected = task + 1;
            pool.feed(SET, task);
            await().pollInterval(Duration.ofMillis(1))
                    .until(() -> pool.snapshot(SET).succeeded() == expected);
        }
        assertThat(engine.stats().of(Counter.WAKE_UPS)).isGreaterThan(10);
        assertThat(engine.stats().of(Counter.PICKS))
                .as("the first, and one a second without a token")
                .isLessThan(20 + 2 * Duration.ofNanos(System.nanoTime() - begun).toSeconds());
    }

    @Test
    void sharesOneSetBetweenTwoSupervisors() {
        HandExecutor first = new HandExecutor(2);
        HandExecutor second = new HandExecutor(2);
        start("a", first);
        start("b", second);
        pool.open(SET, 40, TaskSetLimits.DEFAULT, "true");
        await().until(() -> first.running() == 2 && second.running() == 2);
        first.passAll();
        second.passAll();
        await().until(() -> first.running() == 2 && second.running() == 2); // so each passes four at least
        await().until(() -> {
            first.passAll();
            second.passAll();
            return pool.snapshot(SET).status() == TaskSetState.SUCCEEDED;
        });
        assertThat(pool.snapshot(SET).trials()).isEqualTo(40);
        await().untilAsserted(() -> assertThat(engines)
                .allSatisfy(
                        engine -> assertThat(engine.stats().of(Counter.PASSED)).isGreaterThanOrEqualTo(4)));
    }

    @Test
    void worksAtSeveralSetsAtOnce() {
        pool.open(SET, 2, TaskSetLimits.DEFAULT, "true");
        pool.open("set-2", 2, TaskSetLimits.DEFAULT, "true");
        HandExecutor hands = new HandExecutor(4);
        start("a", hands);
        await().until(() -> hands.running() == 4);
        hands.passAll();
        awaitSuccess(SET, 2);
        awaitSuccess("set-2", 2);
    }

    @Test
    void aTaskIsNeverCreditedWithTheRunOfAnother() {
        pool.open(SET, 4, TaskSetLimits.DEFAULT, "true");
        HandExecutor hands = new HandExecutor(2);
        hands.slow(0);
        Engine first = start("a", hands);
        await().until(() -> hands.running() == 2);
        List<String> before = hands.started();
        // One call settles both and claims two, one for each slot; the one that was meant for the slow slot waits.
        REDIS.process().pause();
        hands.passAll();
        REDIS.process().resume();
        await().until(() -> hands.started().size() > before.size());
        hands.orphan();
        first.abort();
        Engine second = start("a", hands);
        await().until(() -> second.stats().of(Counter.ADOPTED) == 1);
        awaitPassing(hands);
        assertThat(hands.started()).containsOnlyOnce(SET + "/0", SET + "/1", SET + "/2", SET + "/3");
        assertThat(pool.snapshot(SET).lost()).isZero();
    }

    private void awaitPassing(HandExecutor hands) {
        await().until(() -> {
            hands.passAll();
            return pool.snapshot(SET).status() == TaskSetState.SUCCEEDED;
        });
    }

    @Test
    void aPodThatDiesIsALossForEachTaskOfItsDispatchAndEachRunsAloneAfterIt() {
        pool.openBatches(SET, 4, "resize", 4);
        BatchExecutor dying = new BatchExecutor(1, "resize");
        Engine first = start("a", dying);
        await().until(() -> dying.running().size() == 1);
        assertThat(dying.running().getFirst().ids()).hasSize(4);
        await("Redis knows that all of them run")
                .until(() -> pool.places().stream()
                                .filter(place -> place.startsWith("0."))
                                .count()
                        == 4);
        first.abort();
        BatchExecutor next = new BatchExecutor(1, "resize");
        start("b", next);
        await().untilAsserted(() -> {
            next.running().forEach(run -> next.end(run, 1, Optional.empty()));
            assertThat(pool.snapshot(SET).succeeded()).isEqualTo(4);
        });
        assertThat(pool.snapshot(SET).lost()).isEqualTo(4);
        assertThat(next.dispatched())
                .hasSize(4)
                .allSatisfy(run -> assertThat(run).hasSize(1));
    }

    @Test
    void aSetThatHasAllItsWorkersTakesItsTurnsInThem() {
        ExecutionSpec spec = new ExecutionSpec(
                "small",
                List.of("true"),
                List.of(),
                List.of(),
                Optional.empty(),
                new ExecutionSpec.TaskSource.Count(40));
        pool.control().open(new TaskSetOpening("small", PoolFixture.POOL, spec, TaskSetLimits.DEFAULT, 1, 0, false));
        Function<RunnableTask, Duration> lengths =
                task -> task.id().equals("small/0") ? TimedExecutor.FOR_EVER : Duration.ofMillis(100);
        List<TimedExecutor> pods = Stream.generate(() -> new TimedExecutor(4, lengths, task -> false))
                .limit(3)
                .toList();
        start("a", pods.getFirst());
        await().until(() -> pods.getFirst().started("small") >= 4);
        pool.open("large", 1_000_000, TaskSetLimits.DEFAULT, "true");
        start("b", pods.get(1));
        start("c", pods.get(2));
        await().until(() -> pods.stream().allMatch(pod -> pod.started("large") > 0));
        await().untilAsserted(
                        () -> assertThat(pool.snapshot("small").succeeded()).isEqualTo(39));
        pods.forEach(TimedExecutor::close);
    }

    /** The slots of a long set come free in turn. A quiet machine gives the Task the first or second of them. */
    @Test
    void aTaskOfAHigherPriorityGetsASlotOfALongSetSoon() {
        pool.open("low", 1_000_000, TaskSetLimits.DEFAULT, "true");
        Map<String, Integer> first = Map.of("low/0", 100, "low/1", 200, "low/2", 300);
        AtomicInteger before = new AtomicInteger(Integer.MAX_VALUE);
        AtomicReference<TimedExecutor> pod = new AtomicReference<>();
        TimedExecutor slots = new TimedExecutor(
                4,
                task -> {
                    if (task.id().startsWith("tasks:")) {
                        before.set(pod.get().started("low"));
                    }
                    return Duration.ofMillis(first.getOrDefault(task.id(), 400));
                },
                task -> false);
        pod.set(slots);
        start("a", slots);
        await().until(() -> slots.started("low") >= 20);
        int atCreation = slots.started("low");
        pool.lifecycle()
                .trees(pool.keyspace())
                .create(TaskTree.of(
                        "high",
                        new TreeNode.Leaf(
                                PoolFixture.POOL,
                                Optional.empty(),
                                1,
                                1,
                                new Rank(5, List.of(), Optional.empty()),
                                new TaskBody(
                                        "high",
                                        Optional.of(
                                                new Execution.Command(List.of("true"), List.of(), Optional.empty())),
                                        List.of(),
                                        Map.of(),
                                        Optional.of(Duration.ofMinutes(1)),
                                        RetryBackoff.NONE))));
        await().until(() -> before.get() < Integer.MAX_VALUE);
        assertThat(before.get() - atCreation)
                .as("tasks of the low set that began meanwhile, ten in a second")
                .isLessThanOrEqualTo(40);
        slots.close();
    }

    @Test
    void stopsWhatRunsOfACancelledSet() {
        pool.open(SET, 100, TaskSetLimits.DEFAULT, "true");
        HandExecutor hands = new HandExecutor(4);
        start("a", hands);
        await().until(() -> hands.running() == 4);
        pool.end(SET, new StatusChange.Cancel());
        await().until(() -> hands.cancelled() == 4);
        TaskSetSnapshot now = pool.snapshot(SET);
        assertThat(now.succeeded()).isZero();
        assertThat(now.failed()).isZero();
    }

    @Test
    void givesBackASuspendedSetWithoutATrial() {
        pool.open(SET, 100, TaskSetLimits.DEFAULT, "true");
        HandExecutor hands = new HandExecutor(4);
        start("a", hands);
        await().until(() -> hands.running() == 4);
        pool.end(SET, new StatusChange.Suspend());
        await().untilAsserted(() -> assertThat(pool.snapshot(SET).running()).isZero());
        assertThat(pool.snapshot(SET).trials()).isZero();
        assertThat(pool.snapshot(SET).queued()).isEqualTo(100);
        pool.end(SET, new StatusChange.Resume());
        await().until(() -> hands.running() == 4);
    }

    @Test
    void endsASetAtItsDeadlineWithoutTheOperator() {
        pool.open(SET, 100, TaskSetLimits.DEFAULT, "true");
        HandExecutor hands = new HandExecutor(4);
        start("a", hands);
        await().until(() -> hands.running() == 4);
        pool.control().adjust(SET, 0, 0, Duration.ofMillis(1));
        await().untilAsserted(() -> assertThat(pool.snapshot(SET).reason()).isEqualTo("DeadlineExceeded"));
        await().until(() -> hands.running() == 0);
    }

    @Test
    void drainsAndGivesBackWhatRuns() {
        pool.open(SET, 10, TaskSetLimits.DEFAULT, "true");
        HandExecutor hands = new HandExecutor(4);
        Engine engine = start("a", hands);
        await().until(() -> hands.running() == 4);
        CompletableFuture<Void> drained = engine.drain(DrainCause.TERMINATED);
        await().until(drained::isDone);
        TaskSetSnapshot now = pool.snapshot(SET);
        assertThat(now.queued()).isEqualTo(10);
        assertThat(now.running()).isZero();
        assertThat(now.trials()).isZero();
        assertThat(now.lost()).isZero();
        engine.close();
        assertThat(pool.workers()).isEmpty();
    }

    @Test
    void drainsWhenTheOperatorFlagsThePod() {
        Engine engine = start("a", new HandExecutor(1));
        await().until(() -> engine.status().session().isPresent());
        pool.pools().drain(PoolFixture.POOL, "uid-of-a");
        await().untilAsserted(() -> assertThat(engine.status().drain()).isEqualTo(DrainState.DRAINED));
        await().untilAsserted(() -> assertThat(pool.workers())
                .allSatisfy(worker -> assertThat(worker.draining()).isTrue()));
        pool.open(SET, 5, TaskSetLimits.DEFAULT, "true");
        pool.pools().undrain(PoolFixture.POOL, "uid-of-a");
        await().untilAsserted(() -> assertThat(engine.status().busy()).isEqualTo(1));
    }

    @Test
    void leavesWhenItsPoolIsDropped() throws InterruptedException {
        Engine engine = start("a", new HandExecutor(1));
        await().until(() -> engine.status().session().isPresent());
        pool.pools().drop(PoolFixture.POOL, PoolFixture.POOL_UID);
        await().until(() -> engine.status().poolGone().isPresent());
        assertThat(engine.awaitEnd(Patience.LIMIT)).isTrue();
    }

    @Test
    void goesOnAfterRedisWasRestartedWithItsData() {
        pool.open(SET, 2_000_000, TaskSetLimits.DEFAULT, "true");
        Engine engine = start("a", new NoopExecutor(4));
        await().until(() -> engine.stats().of(Counter.PASSED) > 5_000);
        REDIS.process().restart();
        long before = engine.stats().of(Counter.PASSED);
        await().until(() -> engine.stats().of(Counter.PASSED) > before + 5_000);
        assertThat(engine.stats().of(Counter.SESSIONS)).isEqualTo(1);
        await().until(() -> engine.status().storeTrouble().isEmpty());
        engine.drain(DrainCause.TERMINATED).join();
        TaskSetSnapshot now = pool.snapshot(SET);
        assertThat(now.succeeded()).isEqualTo(now.trials());
        assertThat(now.succeeded() + now.queued() + now.running()).isEqualTo(2_000_000);
    }

    @Test
    void goesOnAfterRedisWasPausedForLessThanTheLease() {
        pool.open(SET, 100_000, TaskSetLimits.DEFAULT, "true");
        // As patient as in a pod: a test's own store waits two minutes for an answer.
        try (RedisStore usual = RedisStore.open(REDIS.endpoint(), "usual")) {
            Engine engine = start("a", new NoopExecutor(4), new Lifecycle(usual));
            await().until(() -> engine.stats().of(Counter.PASSED) > 1_000);
            REDIS.process().pause();
            try {
                await().until(() -> engine.status().storeTrouble().isPresent());
            } finally {
                REDIS.process().resume();
            }
            awaitSuccess(SET, 100_000);
            assertThat(pool.snapshot(SET).trials()).isEqualTo(100_000);
            engine.close();
        }
    }

    @Test
    void opensANewSessionAfterRedisWasEmptied() {
        pool.open(SET, 2_000_000, TaskSetLimits.DEFAULT, "true");
        Engine engine = start("a", new NoopExecutor(4));
        await().until(() -> engine.stats().of(Counter.PASSED) > 1_000);
        pool.store().ask(redis -> redis.flushall());
        await().untilAsserted(() -> assertThat(engine.status().sessionAbsence())
                .hasValueSatisfying(why -> assertThat(why).contains("not known in Redis")));
        pool.announce();
        pool.open("set-2", 1_000, TaskSetLimits.DEFAULT, "true");
        awaitSuccess("set-2", 1_000);
        assertThat(engine.stats().of(Counter.SESSIONS)).isEqualTo(2);
    }
}
