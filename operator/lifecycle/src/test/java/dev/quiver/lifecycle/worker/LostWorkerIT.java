package dev.quiver.lifecycle.worker;

import static dev.quiver.lifecycle.taskset.World.allPassed;
import static dev.quiver.lifecycle.taskset.World.claim;
import static dev.quiver.lifecycle.taskset.World.limits;
import static dev.quiver.lifecycle.taskset.World.places;
import static dev.quiver.lifecycle.taskset.World.step;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import io.lettuce.core.ScoredValue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.LeaseTimes;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.taskset.StatusChange;
import dev.quiver.lifecycle.taskset.TaskSetOpening;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.taskset.TaskSetState;
import dev.quiver.lifecycle.taskset.World;

/** A task that dead or paused workers held runs elsewhere, and counts once. */
class LostWorkerIT {

    /** No silence: on a busy machine rounds may be far apart. */
    private static final LeaseTimes SHORT =
            new LeaseTimes(Duration.ofMillis(400), Duration.ofMinutes(1), Duration.ofMillis(10));

    /** Leases end only when a test says so. */
    private static final LeaseTimes BY_HAND =
            new LeaseTimes(Duration.ofMinutes(5), Duration.ofHours(1), Duration.ofMillis(10));

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private RedisStore store;
    private World world;

    @BeforeEach
    void connect() {
        store = REDIS.open();
        world = new World(new Lifecycle(store, SHORT));
        world.reaper.tick();
    }

    @AfterEach
    void disconnect() {
        world.close();
        store.close();
    }

    private void reapUntil(BooleanSupplier done) {
        reapUntil(world, done);
    }

    private static void reapUntil(World world, BooleanSupplier done) {
        Awaitility.await().pollInterval(Duration.ofMillis(20)).until(() -> {
            world.reaper.tick();
            return done.getAsBoolean();
        });
    }

    @Test
    void reclaimsTaskWhenLeaseExpires() {
        world.open("u", 3);
        WorkerSession dead = world.session("a");
        List<Claim> lost = claim(dead, "u", 2);
        reapUntil(() -> world.look("u").running() == 0);

        WorkerSession other = world.session("b");
        List<Claim> again = claim(other, "u", 3);
        assertThat(again).hasSize(3);
        assertThat(again)
                .filteredOn(one -> World.id(one) < 2)
                .extracting(Claim::trial)
                .containsOnly(2);
        assertThat(World.prepare(dead, "u", allPassed(lost), places(1)).run()).isEqualTo(new StepCall.Outcome.Fenced());
        assertThat(World.heartbeat(dead, List.of("u"), 0, false))
                .isEqualTo(new WorkerSession.HeartbeatOutcome.Fenced());
        assertThat(World.pick(dead)).isEqualTo(new WorkerSession.PickOutcome.Fenced());
        assertThat(world.look("u").succeeded()).isZero();
        assertThat(step(other, "u", allPassed(again), 0).status()).isEqualTo(SourceStatus.OVER);
        assertThat(world.look("u").status()).isEqualTo(TaskSetState.SUCCEEDED);
        assertThat(world.look("u").lost()).isEqualTo(2);
        assertThat(world.look("u").trials()).isEqualTo(3);
        assertThat(world.pools.workers(List.of("p")).get("p"))
                .extracting(WorkerRecord::session)
                .doesNotContain(dead.id());
    }

    @Test
    void aTickThatIsSentLeavesTheRestToItsSender() {
        world.open("u", 3);
        claim(world.session("a"), "u", 2);
        Awaitility.await().pollInterval(Duration.ofMillis(20)).until(() -> {
            CompletableFuture<Reaper.Begun> begun = new CompletableFuture<>();
            world.reaper.send().orElseThrow().whenKnown((tick, problem) -> begun.complete(tick));
            return begun.join().rest().map(rest -> rest.get().sessions()).orElse(0) == 1;
        });
        assertThat(world.look("u").running()).isZero();
    }

    @Test
    void aResultBeforeReapingCounts() {
        world.open("u", 1);
        WorkerSession slow = world.session("a");
        List<Claim> claims = claim(slow, "u", 1);
        var expired = world.look("u").storeTime().plusMillis(500);
        Awaitility.await().until(() -> world.look("u").storeTime().isAfter(expired));
        assertThat(step(slow, "u", allPassed(claims), 0).status()).isEqualTo(SourceStatus.OVER);
        assertThat(world.look("u").status()).isEqualTo(TaskSetState.SUCCEEDED);
    }

    @Test
    void aHeartbeatKeepsTheLease() {
        try (World slow = new World(new Lifecycle(store, BY_HAND))) {
            slow.open("u", 1);
            WorkerSession session = slow.session("a");
            claim(session, "u", 1);
            endLease(slow, session);
            assertThat(World.heartbeat(session, List.of("u"), 1, false))
                    .isInstanceOf(WorkerSession.HeartbeatOutcome.Renewed.class);
            assertThat(slow.reaper.tick()).isEqualTo(new Reaper.Reaped(0, 0, 0));
            assertThat(slow.look("u").running()).isEqualTo(1);

            endLease(slow, session);
            reapUntil(slow, () -> slow.look("u").running() == 0);
            assertThat(World.heartbeat(session, List.of("u"), 1, false))
                    .isEqualTo(new WorkerSession.HeartbeatOutcome.Fenced());
        }
    }

    private void endLease(World slow, WorkerSession session) {
        store.ask(redis -> redis.zadd(slow.keyspace.sessions(), 1, session.id()));
    }

    @Test
    void endsATaskWhoseWorkersKeepDying() {
        world.open("u", 1, limits(3, 2, 0));
        for (int i = 0; i < 2; i++) {
            assertThat(claim(world.session("a" + i), "u", 1)).hasSize(1);
            reapUntil(() -> world.look("u").running() == 0);
        }
        TaskSetSnapshot end = world.look("u");
        assertThat(end.status()).isEqualTo(TaskSetState.FAILED);
        assertThat(end.failed()).isEqualTo(1);
        assertThat(end.lost()).isEqualTo(2);
        assertThat(end.failures()).singleElement().satisfies(failure -> {
            assertThat(failure.reason()).isEqualTo("WorkerLost");
            assertThat(failure.task()).isEqualTo("0");
            assertThat(failure.trial()).isEqualTo(2);
            assertThat(failure.last()).isTrue();
        });
    }

    @Test
    void saysWhatBecameOfThePodThatWasLostLast() {
        world.open("u", 1, limits(3, 2, 0));
        for (int i = 0; i < 2; i++) {
            assertThat(claim(world.session("a" + i), "u", 1)).hasSize(1);
            world.pools.noteFate("p", "a" + i + "-uid", "its pod ended: Evicted: \"disk\" \u202e" + i);
            world.pools.noteFate("p", "a" + i + "-uid", "its pod was deleted");
            reapUntil(() -> world.look("u").running() == 0);
        }
        world.pools.noteFate("p", "a0-uid", "nobody is there");
        assertThat(world.look("u").failures())
                .extracting(TrialFailure::task, TrialFailure::message)
                .containsExactly(tuple(
                        "0", "its worker was lost each time: 2 runs; the last time its pod ended: Evicted: ?disk? ?1"));
        assertThat(store.<List<String>>ask(redis -> redis.keys("*fate*"))).isEmpty();
    }

    @Test
    void aWorkerLearnsHowItsContainerEnded() {
        WorkerSession session = world.session("a");
        String key = world.keyspace.session(session.id());
        assertThat(session.containerEnd(Duration.ofMinutes(1))).isEmpty();
        world.pools.noteContainerEnd("p", "a-uid", "exit code 1 (Error)");
        world.pools.noteContainerEnd("p", "a-uid", "exit code 137 (OOMKilled): \"\u202e\"");
        world.pools.noteContainerEnd("p", "b-uid", "another pod's");
        assertThat(session.containerEnd(Duration.ofMinutes(1))).contains("exit code 137 (OOMKilled): ???");
        store.ask(redis -> redis.hset(key, "container_end", "1 of another end"));
        assertThat(session.containerEnd(Duration.ofMinutes(1))).isEmpty();
        for (String hostile : List.of("x".repeat(100_000), "1e308 x", "9007199254740993 " + "x".repeat(515))) {
            store.ask(redis -> redis.hset(key, "container_end", hostile));
            assertThat(session.containerEnd(Duration.ofMinutes(1)).orElse("")).isEmpty();
        }
    }

    @Test
    void aFateThatATenantWroteIsBounded() {
        world.open("u", 2, limits(3, 1, 0));
        for (String fate : List.of("x".repeat(100_000), "\n\u0007\"}\\")) {
            WorkerSession session = world.session("a");
            assertThat(claim(session, "u", 1)).hasSize(1);
            store.ask(redis -> redis.hset(world.keyspace.session(session.id()), "fate", fate));
            reapUntil(() -> world.look("u").running() == 0);
        }
        assertThat(world.look("u").failures())
                .extracting(TrialFailure::message)
                .containsExactlyInAnyOrder(
                        "its worker was lost each time: 1 runs",
                        "its worker was lost each time: 1 runs; the last time ???}?");
    }

    @Test
    void namesALostTaskOfAFedSet() {
        world.control.open(
                TaskSetOpening.of("u", "p", World.spec(new ExecutionSpec.TaskSource.Lines()), limits(3, 1, 0)));
        world.control.feed("u", 0, List.of("tests/slow.py"), true);
        claim(world.session("a"), "u", 1);
        reapUntil(() -> world.look("u").status().isFinal());
        assertThat(world.look("u").failures()).extracting(TrialFailure::task).containsExactly("tests/slow.py");
    }

    @Test
    void whatWaitedInTheRingWasNotLost() {
        world.open("u", 1, limits(3, 1, 0));
        WorkerSession dead = world.session("a");
        World.prepare(dead, "u", List.of(), List.of(Place.queued(0))).run();
        reapUntil(() -> world.look("u").running() == 0);
        assertThat(world.look("u").queued()).isEqualTo(1);
        assertThat(world.look("u").lost()).isZero();
        assertThat(claim(world.session("b"), "u", 1)).extracting(Claim::trial).containsExactly(1);
    }

    @Test
    void takesBackMoreThanOneBatchAndMoreThanOneSet() {
        world.open("u", 200);
        world.open("v", 5);
        WorkerSession dead = world.session("a");
        for (int i = 0; i < 3; i++) {
            claim(dead, "u", 64);
        }
        claim(dead, "v", 3);
        assertThat(world.look("u").running()).isEqualTo(192);
        reapUntil(() -> world.look("u").running() == 0 && world.look("v").running() == 0);
        assertThat(world.look("u").queued()).isEqualTo(200);
        Long left = store.ask(redis -> redis.exists(world.keyspace.session(dead.id()), world.keyspace.fenced()));
        assertThat(left).isZero();
    }

    @Test
    void closingEndsAWait() throws Exception {
        WorkerSession session = world.session("a");
        var waiting = CompletableFuture.supplyAsync(
                () -> session.awaitWork(Duration.ofSeconds(5)), Thread::startVirtualThread);
        Awaitility.await().until(() -> store.ask(redis -> redis.info("clients")).contains("blocked_clients:1"));
        session.close();
        assertThat(waiting.get(4, TimeUnit.SECONDS)).isEmpty();
    }

    @Test
    void aClosedSessionIsTakenBackAtOnce() {
        world.open("u", 2);
        WorkerSession session = world.session("a");
        claim(session, "u", 1);
        session.close();
        assertThat(world.look("u").running()).isZero();
        assertThat(session.awaitWork(Duration.ofSeconds(5))).isEmpty();
    }

    @Test
    void aSilenceOfAllWatchersFencesNobody() {
        World quiet = new World(new Lifecycle(
                store, new LeaseTimes(Duration.ofMillis(300), Duration.ofMillis(100), Duration.ofMillis(1))));
        quiet.open("u", 1);
        WorkerSession session = quiet.session("a");
        claim(session, "u", 1);
        var expired = quiet.look("u").storeTime().plusMillis(500);
        Awaitility.await().until(() -> quiet.look("u").storeTime().isAfter(expired));
        assertThat(quiet.reaper.tick()).isEqualTo(new Reaper.Reaped(0, 0, 0));
        assertThat(World.heartbeat(session, List.of("u"), 1, false))
                .isInstanceOf(WorkerSession.HeartbeatOutcome.Renewed.class);
        quiet.close();
    }

    @Test
    void aStepBackOfTheStoresClockPutsNothingOff() {
        world.open("u", 3);
        WorkerSession dead = world.session("a");
        claim(dead, "u", 2);
        world.reaper.tick();
        // All on record lies an hour ahead, as if the clock had stepped back by so much just now.
        double ahead = world.look("u").storeTime().plus(Duration.ofHours(1)).toEpochMilli();
        store.ask(redis -> redis.zadd(world.keyspace.sessions(), ahead, dead.id()));
        String time = String.format("%.0f", ahead);
        store.ask(redis ->
                redis.hset(world.keyspace.meta(), Map.of("reap_due", time, "watched_at", time, "reap_after", time)));
        assertThat(reapDue(world.session("b"))).as("somebody should watch").isTrue();
        reapUntil(() -> world.look("u").running() == 0);
        assertThat(World.heartbeat(dead, List.of("u"), 0, false))
                .isEqualTo(new WorkerSession.HeartbeatOutcome.Fenced());
    }

    @Test
    void aStepBackOfTheStoresClockLeavesNothingToASuccessorForEver() {
        world.open("u", 3);
        claim(world.session("a"), "u", 2);
        world.lifecycle.sessions(world.keyspace).open(World.worker("a"), Duration.ofSeconds(1));
        left().forEach(each ->
                store.ask(redis -> redis.zadd(world.keyspace.fenced(), each.getScore() + 3_600_000, each.getValue())));
        double latest = world.look("u").storeTime().plusSeconds(300).toEpochMilli();
        reapUntil(() -> left().stream().allMatch(each -> each.getScore() < latest));
        assertThat(left()).as("still left to the successor").hasSize(1);
    }

    /** Ended sessions, and from when on what they hold is taken back. */
    private List<ScoredValue<String>> left() {
        return store.ask(redis -> redis.zrangeWithScores(world.keyspace.fenced(), 0, -1));
    }

    @Test
    void tellsASessionThatNobodyReaps() {
        try (World slow = new World(new Lifecycle(store, BY_HAND))) {
            slow.reaper.tick();
            WorkerSession session = slow.session("a");
            Awaitility.await().until(() -> reapDue(session));
            // Whoever comes now puts the next round off, by more than the second that may pass until the heartbeat.
            LeaseTimes rare = new LeaseTimes(BY_HAND.lease(), BY_HAND.silence(), Duration.ofMinutes(5));
            new Lifecycle(store, rare).reaper(slow.keyspace).tick();
            assertThat(reapDue(session)).isFalse();
        }
    }

    private static boolean reapDue(WorkerSession session) {
        return ((WorkerSession.HeartbeatOutcome.Renewed) World.heartbeat(session, List.of(), 0, false)).reapDue();
    }

    @Test
    void reapingInTheMiddleOfACancelLeavesNothing() {
        world.open("u", 3);
        WorkerSession dead = world.session("a");
        claim(dead, "u", 2);
        world.control.changeStatus("u", new StatusChange.Cancel());
        reapUntil(() -> world.look("u").workers() == 0);
        assertThat(world.look("u").lost()).isZero();
        List<String> held = store.ask(redis -> redis.keys(world.keyspace.prefix() + "*held*"));
        assertThat(held).isEmpty();
        assertThat(Optional.of(world.look("u").status())).contains(TaskSetState.CANCELLED);
    }
}
