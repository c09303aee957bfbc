package dev.quiver.lifecycle.worker;

import static dev.quiver.lifecycle.taskset.World.allPassed;
import static dev.quiver.lifecycle.taskset.World.claim;
import static dev.quiver.lifecycle.taskset.World.places;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.taskset.StatusChange;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetOpening;
import dev.quiver.lifecycle.taskset.World;

/** The contract of pools and the sessions in them. */
abstract class PoolContract {

    private World world;

    /** The entrance under test, with a lease of 10 s. */
    abstract Lifecycle lifecycle();

    @BeforeEach
    void makeWorld() {
        world = new World(lifecycle());
    }

    @AfterEach
    void closeWorld() {
        world.close();
    }

    @Test
    void letsOnlyTheOwnerOfAPoolsNameIn() {
        WorkerSessions sessions = lifecycle().sessions(world.keyspace);
        assertThat(sessions.open(new WorkerIdentity("none", "x", "a", "a", "n", 1)))
                .isEqualTo(new WorkerSessions.Outcome.PoolUnknown());
        WorkerSession session = world.session("a");
        world.pools.announce("p", "another-uid");
        assertThat(sessions.open(World.worker("b"))).isEqualTo(new WorkerSessions.Outcome.PoolReplaced("another-uid"));
        assertThat(World.pick(session)).isEqualTo(new WorkerSession.PickOutcome.PoolGone());
        assertThat(((WorkerSession.HeartbeatOutcome.Renewed) World.heartbeat(session, List.of(), 0, false)).poolGone())
                .isTrue();
        world.pools.drop("p", "pool-uid");
        assertThat(sessions.open(World.worker("b"))).isEqualTo(new WorkerSessions.Outcome.PoolReplaced("another-uid"));
        world.pools.drop("p", "another-uid");
        assertThat(sessions.open(World.worker("b"))).isEqualTo(new WorkerSessions.Outcome.PoolUnknown());
    }

    @Test
    void listsWorkersAndDrainsThem() {
        WorkerSession one = world.session("a");
        world.session("b");
        World.heartbeat(one, List.of(), 3, true);
        Map<String, List<WorkerRecord>> workers = world.pools.workers(List.of("p", "none"));
        assertThat(workers.get("none")).isEmpty();
        assertThat(workers.get("p"))
                .extracting(record -> record.worker().pod(), WorkerRecord::busySlots, WorkerRecord::draining)
                .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple("a", 3, true),
                        org.assertj.core.groups.Tuple.tuple("b", 0, false));

        world.open("u", 1);
        world.pools.drain("p", "a-uid");
        assertThat(World.pick(one)).isEqualTo(new WorkerSession.PickOutcome.Draining());
        assertThat(((WorkerSession.HeartbeatOutcome.Renewed) World.heartbeat(one, List.of(), 0, false)).draining())
                .isTrue();
        world.pools.undrain("p", "a-uid");
        assertThat(World.pick(one)).isEqualTo(new WorkerSession.PickOutcome.Picked("u"));
        one.close();
        assertThat(world.pools.workers(List.of("p")).get("p")).hasSize(1);
    }

    @Test
    void tellsThePoolsSizeAndShowsAWorkersTrouble() {
        WorkerSession one = world.session("a");
        assertThat(size(one)).isEqualTo(1);
        WorkerSession other = world.session("b");
        assertThat(size(one)).isEqualTo(2);
        other.close();
        assertThat(size(one)).isEqualTo(1);

        assertThat(trouble()).isEmpty();
        one.heartbeat(List.of(), new WorkerState(0, false, List.of(), Optional.of("slot 3 \"ran\"\nbackwards")));
        assertThat(trouble()).contains("slot 3 \"ran\"\nbackwards");
        one.heartbeat(List.of(), new WorkerState(0, false, List.of(), Optional.of("ä".repeat(80) + "x")));
        assertThat(trouble()).contains("ä".repeat(64));
        World.heartbeat(one, List.of(), 0, false);
        assertThat(trouble()).isEmpty();
    }

    @Test
    void listsTheHandlersThatAWorkerServes() {
        WorkerSession one = world.session("a");
        assertThat(world.pools.workers(List.of("p")).get("p").getFirst().handlers())
                .isEmpty();
        List<String> names = IntStream.range(0, 70).mapToObj(i -> "h\"" + i).toList();
        one.heartbeat(List.of(), new WorkerState(0, false, names, Optional.empty()));
        assertThat(world.pools.workers(List.of("p")).get("p").getFirst().handlers())
                .isEqualTo(names.subList(0, 64));
        assertThatThrownBy(() -> new WorkerState(0, false, List.of("a\nb"), Optional.empty()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void passesOverSetsThatAWorkerCannotServe() {
        world.open("u", 5);
        world.open("v", 5);
        WorkerSession session = world.session("a");
        for (int i = 0; i < 3; i++) {
            assertThat(session.pick(List.of(), List.of("u", "no")))
                    .isEqualTo(new WorkerSession.PickOutcome.Picked("v"));
        }
        assertThat(session.pick(List.of(), List.of("v", "u"))).isEqualTo(new WorkerSession.PickOutcome.Nothing());
        assertThat(World.pick(session)).isEqualTo(new WorkerSession.PickOutcome.Picked("u"));
    }

    @Test
    void sharesAPoolAmongItsSetsByPriority() {
        world.open("a", 100);
        world.open("b", 100);
        world.control.open(new TaskSetOpening("urgent", "p", World.count(1), TaskSetLimits.DEFAULT, 0, 5, false));
        WorkerSession session = world.session("a");
        assertThat(World.pick(session)).isEqualTo(new WorkerSession.PickOutcome.Picked("urgent"));
        claim(session, "urgent", 1);
        WorkerSession.PickOutcome first = World.pick(session);
        WorkerSession.PickOutcome second = World.pick(session);
        assertThat(List.of(first, second))
                .containsExactlyInAnyOrder(
                        new WorkerSession.PickOutcome.Picked("a"), new WorkerSession.PickOutcome.Picked("b"));
    }

    @Test
    void aLeavingWorkerMakesRoomForAnother() {
        world.open("u", 10, 1);
        WorkerSession one = world.session("a");
        WorkerSession other = world.session("b");
        List<Claim> claims = claim(one, "u", 2);
        assertThat(World.step(one, "u", allPassed(claims), 0).member()).isFalse();
        assertThat(World.pick(other)).isEqualTo(new WorkerSession.PickOutcome.Picked("u"));
    }

    @Test
    void aSetWithAllItsWorkersIsNamedToThemInItsTurn() {
        world.open("full", 10, 1);
        WorkerSession member = world.session("a");
        claim(member, "full", 2);
        world.open("large", 100);
        List<WorkerSession.PickOutcome> turns = Stream.generate(() -> member.pick(List.of("full"), List.of()))
                .limit(10)
                .toList();
        assertThat(turns)
                .filteredOn(new WorkerSession.PickOutcome.Picked("full")::equals)
                .hasSize(5);
        assertThat(turns)
                .filteredOn(new WorkerSession.PickOutcome.Picked("large")::equals)
                .hasSize(5);
        assertThat(member.pick(List.of("full"), List.of("large")))
                .isEqualTo(new WorkerSession.PickOutcome.Picked("full"));
        assertThat(World.pick(world.session("b"))).isEqualTo(new WorkerSession.PickOutcome.Picked("large"));

        claim(member, "full", 8);
        assertThat(member.pick(List.of("full"), List.of("large")))
                .as("nothing waits")
                .isEqualTo(new WorkerSession.PickOutcome.Nothing());
    }

    @Test
    void aSetThatComesBackWaitsForNoPickOfItsPast() {
        world.open("old", 2);
        WorkerSession session = world.session("a");
        for (int i = 0; i < 500; i++) {
            World.pick(session);
        }
        List<Claim> claims = claim(session, "old", 2);
        world.open("young", 100);
        World.pick(session);
        World.step(session, "old", World.allFailed(claims), 0);
        assertThat(List.of(World.pick(session), World.pick(session)))
                .contains(new WorkerSession.PickOutcome.Picked("old"));
    }

    private static final Duration LEFT = Duration.ofSeconds(30);

    private WorkerSession successor(String pod) {
        WorkerSessions.Outcome outcome = lifecycle().sessions(world.keyspace).open(World.worker(pod), LEFT);
        return ((WorkerSessions.Outcome.Opened) outcome).session();
    }

    @Test
    void aSuccessorTakesOverWhatRunsOnAndGivesTheRestBack() {
        world.open("u", 10);
        world.open("v", 1);
        WorkerSession earlier = world.session("a");
        List<Claim> claims = claim(earlier, "u", 3);
        World.prepare(earlier, "u", List.of(), List.of(Place.queued(1))).run();
        Claim other = claim(earlier, "v", 1).getFirst();

        try (WorkerSession later = successor("a")) {
            world.reaper.tick();
            assertThat(world.look("u").running()).as("left to the successor").isEqualTo(4);
            assertThat(later.orphans())
                    .extracting(Orphan::uid, Orphan::id, Orphan::trial, Orphan::place)
                    .containsExactlyInAnyOrder(
                            tuple("u", "0", 1, Place.slot(0, 1)),
                            tuple("u", "1", 1, Place.slot(1, 1)),
                            tuple("u", "2", 1, Place.slot(2, 1)),
                            tuple("u", "3", 1, Place.queued(1)),
                            tuple("v", other.id(), 1, Place.slot(0, 1)));
            List<Takeover> found = List.of(
                    new Takeover("u", "0", Place.slot(0, 1)),
                    new Takeover("u", "1", Place.slot(4, 9)),
                    new Takeover("v", other.id(), Place.slot(0, 1)),
                    new Takeover("v", "7", Place.slot(7, 1)));
            List<Claim> adopted = later.adopt(found);
            assertThat(adopted)
                    .extracting(Claim::uid, Claim::id, Claim::trial, Claim::place)
                    .containsExactlyInAnyOrder(
                            tuple("u", "0", 1, Place.slot(0, 1)),
                            tuple("u", "1", 1, Place.slot(4, 9)),
                            tuple("v", other.id(), 1, Place.slot(0, 1)));
            assertThat(later.adopt(found)).isEqualTo(adopted);
            assertThat(world.look("u").running()).isEqualTo(2);
            assertThat(world.look("u").lost())
                    .as("the task of slot 2 was not found, that of the queue was never started")
                    .isEqualTo(1);
            assertThat(world.look("u").workers()).isEqualTo(1);

            assertThat(World.prepare(earlier, "u", allPassed(claims), places(1)).run())
                    .isEqualTo(new StepCall.Outcome.Fenced());
            List<Claim> ours =
                    adopted.stream().filter(claim -> claim.uid().equals("u")).toList();
            assertThat(World.step(later, "u", allPassed(ours), 0).verdicts()).containsOnly(StepCall.Verdict.COUNTED);
            assertThat(world.look("u").succeeded()).isEqualTo(2);
            assertThat(world.look("u").queued()).isEqualTo(8);
            assertThatThrownBy(() -> later.adopt(found)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void aSuccessorThatFoundNothingQueuesEverythingAgain() {
        world.open("u", 10);
        claim(world.session("a"), "u", 3);
        try (WorkerSession later = successor("a")) {
            assertThat(later.adopt(List.of())).isEmpty();
            assertThat(world.look("u").running()).isZero();
            assertThat(world.look("u").lost()).isEqualTo(3);
        }
        try (WorkerSession first = successor("b")) {
            assertThat(first.orphans()).as("it had no predecessor").isEmpty();
            assertThat(first.adopt(List.of())).isEmpty();
        }
    }

    @Test
    void adoptsNothingOfASetThatIsOver() {
        world.open("u", 10);
        claim(world.session("a"), "u", 3);
        world.control.changeStatus("u", new StatusChange.Cancel());
        try (WorkerSession later = successor("a")) {
            assertThat(later.adopt(inTheirPlaces(later.orphans()))).isEmpty();
        }
    }

    @Test
    void aTaskThatWasNeverStartedGoesBackWithoutALoss() {
        world.open("u", 10);
        claim(world.session("a"), "u", 3);
        try (WorkerSession later = successor("a")) {
            Orphan swapped = later.orphans().getFirst();
            assertThat(later.adopt(List.of(Takeover.notStarted(swapped)))).isEmpty();
            assertThat(world.look("u").running()).isZero();
            assertThat(world.look("u").lost()).isEqualTo(2);
            assertThat(claim(world.session("b"), "u", 10))
                    .filteredOn(claim -> claim.id().equals(swapped.id()))
                    .extracting(Claim::trial)
                    .containsExactly(1);
        }
    }

    /** As if each ran where its claim named it. */
    private static List<Takeover> inTheirPlaces(List<Orphan> orphans) {
        return orphans.stream()
                .map(each -> new Takeover(each.uid(), each.id(), each.place()))
                .toList();
    }

    private static int size(WorkerSession session) {
        return ((WorkerSession.HeartbeatOutcome.Renewed) World.heartbeat(session, List.of(), 0, false)).workers();
    }

    private Optional<String> trouble() {
        return world.pools.workers(List.of("p")).get("p").getFirst().trouble();
    }

    @Test
    void wakesAWaitingWorker() throws Exception {
        WorkerSession session = world.session("a");
        assertThat(session.awaitWork(Duration.ofMillis(50))).isEmpty();
        var woken = CompletableFuture.supplyAsync(
                () -> session.awaitWork(Duration.ofSeconds(5)), Thread::startVirtualThread);
        world.open("u", 10);
        assertThat(woken.get(1, TimeUnit.MINUTES))
                .as("the only set with work is named")
                .contains("u");
        claim(session, "u", 2);
        assertThat(world.session("b").awaitWork(Duration.ofSeconds(5)))
                .as("a claim that leaves work passes the token on")
                .contains("u");
    }

    @Test
    void tellsOfOtherWorkWhoeverHasTakenAllOfASet() {
        world.open("u", 2);
        world.open("v", 2);
        WorkerSession session = world.session("a");
        assertThat(session.awaitWork(Duration.ofSeconds(1)))
                .as("put for the first set, and made to say that the order decides")
                .contains("");
        claim(session, "u", 2);
        assertThat(session.awaitWork(Duration.ofSeconds(1)))
                .as("left by the claim that emptied the other")
                .contains("v");
        assertThat(session.awaitWork(Duration.ofMillis(1))).isEmpty();
    }

    @Test
    void namesNoSetWhereTheOrderDecides() {
        world.open("u", 9);
        world.open("v", 9);
        WorkerSession session = world.session("a");
        session.awaitWork(Duration.ofSeconds(1));
        claim(session, "u", 1);
        assertThat(session.awaitWork(Duration.ofSeconds(1))).isPresent().get().isNotIn("u", "v");
    }

    @Test
    void tellsOfOtherWorkWhenTheSetOfATokenIsRemoved() {
        world.open("u", 2);
        world.open("v", 2);
        WorkerSession session = world.session("a");
        assertThat(session.awaitWork(Duration.ofSeconds(1))).isPresent();
        world.control.drop("u");
        assertThat(session.awaitWork(Duration.ofSeconds(1))).isPresent();
    }

    @Test
    void passesATokenOnOnceWhileThereIsWork() {
        WorkerSession session = world.session("a");
        session.passOn();
        assertThat(session.awaitWork(Duration.ofMillis(1)))
                .as("no work, no token")
                .isEmpty();
        world.open("u", 2);
        assertThat(session.awaitWork(Duration.ofSeconds(1))).isPresent();
        session.passOn();
        session.passOn();
        assertThat(world.session("b").awaitWork(Duration.ofSeconds(1))).isPresent();
        assertThat(session.awaitWork(Duration.ofMillis(1)))
                .as("one token at most")
                .isEmpty();
        world.control.changeStatus("u", new StatusChange.Cancel());
        session.passOn();
        assertThat(session.awaitWork(Duration.ofMillis(1)))
                .as("nothing has work any more")
                .isEmpty();
    }

    @Test
    void aNewSessionOfAPodEndsTheEarlierOneAndQueuesItsTasks() {
        world.open("u", 100);
        WorkerSession earlier = world.session("a");
        WorkerSession neighbour = world.session("b");
        List<Claim> claims = claim(earlier, "u", 40);
        World.prepare(earlier, "u", List.of(), List.of(Place.queued(1))).run();
        claim(neighbour, "u", 5);

        WorkerSession later = world.session("a");
        assertThat(world.look("u").running()).isEqualTo(5);
        assertThat(world.look("u").lost())
                .as("what waited in the queue was not lost")
                .isEqualTo(40);
        assertThat(claim(later, "u", 41)).extracting(Claim::trial).containsOnly(1, 2);
        assertThat(World.prepare(earlier, "u", allPassed(claims), places(1)).run())
                .isEqualTo(new StepCall.Outcome.Fenced());
        assertThat(World.heartbeat(earlier, List.of("u"), 0, false))
                .isEqualTo(new WorkerSession.HeartbeatOutcome.Fenced());
        assertThat(world.pools.workers(List.of("p")).get("p"))
                .extracting(WorkerRecord::session)
                .containsExactlyInAnyOrder(neighbour.id(), later.id());

        earlier.close();
        assertThat(World.heartbeat(later, List.of("u"), 41, false))
                .isInstanceOf(WorkerSession.HeartbeatOutcome.Renewed.class);
        assertThat(world.look("u").running()).isEqualTo(46);
    }
}
