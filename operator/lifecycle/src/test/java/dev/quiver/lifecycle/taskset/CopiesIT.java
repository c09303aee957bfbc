package dev.quiver.lifecycle.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.LeaseTimes;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepCall.Verdict;
import dev.quiver.lifecycle.worker.Takeover;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerSessions;

/** A task that takes long runs a second time on an idle worker, and whichever ends first decides. */
class CopiesIT {

    private static final LeaseTimes BY_HAND = new LeaseTimes(Duration.ofMinutes(1), Duration.ofHours(1), Duration.ZERO);

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private RedisStore store;
    private World world;
    private WorkerSession holder;
    private WorkerSession idle;
    private CopiesRig rig;

    @BeforeEach
    void open() {
        store = REDIS.open();
        world = new World(new Lifecycle(store, BY_HAND));
        holder = world.session("holder");
        idle = world.session("idle");
    }

    @AfterEach
    void close() {
        world.close();
        store.close();
    }

    private void set(int tasks, TaskSetLimits limits) {
        rig = new CopiesRig(store, world, new TaskSource.Count(tasks), tasks, limits, 0);
    }

    /** One task passed before, and the other one is offered. */
    private Claim offered(int maxTrials) {
        return offered(World.limits(maxTrials, 3, 0));
    }

    private Claim offered(TaskSetLimits limits) {
        set(2, limits);
        rig.passOne(holder);
        Claim claim = CopiesRig.step(holder, List.of(), 1).claims().getFirst();
        assertThat(CopiesRig.attend(holder, List.of(claim), CopiesRig.LATE)).isEmpty();
        rig.check();
        assertThat(rig.states()).containsOnlyKeys(claim.id());
        return claim;
    }

    private Claim copy() {
        Claim copy = CopiesRig.step(idle, List.of(), 1).claims().getFirst();
        assertThat(copy.copy()).isTrue();
        rig.check();
        return copy;
    }

    private static List<Verdict> settle(WorkerSession session, Settlement settlement) {
        return CopiesRig.step(session, List.of(settlement), 0).verdicts();
    }

    private TaskSetSnapshot look() {
        return world.look(CopiesRig.SET);
    }

    @Test
    void theFirstPassCountsAndTheOtherHolderIsStopped() {
        Claim claim = offered(3);
        Claim copy = copy();
        assertThat(copy.task().trial()).isEqualTo(1);
        assertThat(look().running()).isEqualTo(1);
        assertThat(settle(idle, World.passed(copy))).containsExactly(Verdict.COUNTED);
        rig.passed.add(World.id(copy));
        assertThat(look().status()).isEqualTo(TaskSetState.SUCCEEDED);
        assertThat(look().speculated()).isEqualTo(1);
        assertThat(CopiesRig.attend(holder, List.of(claim), CopiesRig.LATE)).containsExactly(claim.id());
        assertThat(settle(holder, World.passed(claim))).containsExactly(Verdict.VOID);
        assertThat(look().succeeded()).isEqualTo(2);
        rig.check();
        rig.checkUnpassed();
    }

    @Test
    void theLoserOfARunThatGoesOnIsStoppedAndCountsNothing() {
        set(3, World.limits(3, 3, 0));
        rig.passOne(holder);
        List<Claim> both = CopiesRig.step(holder, List.of(), 2).claims();
        CopiesRig.attend(holder, both.subList(0, 1), CopiesRig.LATE);
        Claim copy = copy();
        settle(idle, World.passed(copy));
        rig.passed.add(World.id(copy));
        rig.check();
        assertThat(CopiesRig.attend(holder, both, 5)).containsExactly(copy.id());
        assertThat(settle(holder, new Settlement.Returned(both.getFirst()))).containsExactly(Verdict.VOID);
        rig.check();
        assertThat(rig.states()).isEmpty();
        assertThat(look().running()).isEqualTo(1);
        assertThat(look().trials()).isEqualTo(2);
    }

    @Test
    void aFailureOfOneHolderUsesATrialAndDecidesNothingWhileTheOtherOneRuns() {
        Claim claim = offered(2);
        Claim copy = copy();
        assertThat(settle(holder, World.failed(claim))).containsExactly(Verdict.RETRIED);
        rig.check();
        assertThat(look().queued()).isZero();
        assertThat(look().running()).isEqualTo(1);
        assertThat(settle(idle, World.failed(copy))).containsExactly(Verdict.COUNTED);
        assertThat(look().status()).isEqualTo(TaskSetState.FAILED);
        assertThat(look().failed()).isEqualTo(1);
        assertThat(look().trials()).isEqualTo(3);
    }

    @Test
    void aFailureForGoodDecidesAtOnce() {
        Claim claim = offered(3);
        Claim copy = copy();
        assertThat(settle(idle, World.failed(copy, Retry.NEVER))).containsExactly(Verdict.COUNTED);
        assertThat(look().status()).isEqualTo(TaskSetState.FAILED);
        assertThat(settle(holder, World.passed(claim))).containsExactly(Verdict.VOID);
        rig.checkUnpassed();
    }

    @Test
    void aTaskWhoseLastTrialFailedIsDecidedWhenItsOtherHolderGivesItBack() {
        Claim claim = offered(1);
        Claim copy = copy();
        settle(holder, World.failed(claim));
        assertThat(look().failed()).isZero();
        assertThat(settle(idle, new Settlement.Returned(copy))).containsExactly(Verdict.COUNTED);
        assertThat(look().status()).isEqualTo(TaskSetState.FAILED);
        assertThat(look().failures().getFirst().message()).isEqualTo("it broke");
        assertThat(look().failures().getFirst().last()).isTrue();
    }

    @Test
    void aTaskWhoseLastTrialFailedIsDecidedWhenItsOtherHolderIsReaped() {
        Claim claim = offered(1);
        copy();
        settle(holder, World.failed(claim));
        die(idle);
        rig.check();
        assertThat(look().status()).isEqualTo(TaskSetState.FAILED);
        assertThat(look().lost()).isEqualTo(1);
        rig.checkUnpassed();
    }

    private void die(WorkerSession session) {
        store.ask(redis -> redis.zadd(world.keyspace.sessions(), 1, session.id()));
        world.reaper.tick();
    }

    @Test
    void theCopyGoesOnWhereTheHolderIsLost() {
        offered(1);
        Claim copy = copy();
        die(holder);
        rig.check();
        assertThat(look().lost()).isEqualTo(1);
        assertThat(look().queued()).isZero();
        assertThat(settle(idle, World.passed(copy))).containsExactly(Verdict.COUNTED);
        rig.passed.add(World.id(copy));
        assertThat(look().status()).isEqualTo(TaskSetState.SUCCEEDED);
    }

    @Test
    void aLostReplyGivesTheSameCopiesWithTheirMarks() {
        offered(3);
        StepCall call = CopiesRig.prepare(idle, List.of(), 2, 0);
        StepCall.Outcome.Done first = (StepCall.Outcome.Done) call.run();
        StepCall.Outcome.Done again = (StepCall.Outcome.Done) call.run();
        assertThat(again.claims()).hasSize(1);
        assertThat(again.claims().getFirst().copy()).isTrue();
        assertThat(again.claims().getFirst().place())
                .isEqualTo(first.claims().getFirst().place());
        rig.check();
    }

    @Test
    void anOfferGoesOnWithTheSessionThatAdoptsItsTask() {
        Claim claim = offered(3);
        WorkerSession heir = adopt("holder", claim);
        rig.check();
        assertThat(rig.states().get(claim.id())).endsWith("/" + heir.id());
        assertThat(CopiesRig.step(heir, List.of(), 1).claims())
                .as("never its own")
                .isEmpty();
        Claim copy = copy();
        die(heir);
        rig.check();
        settle(idle, World.passed(copy));
        assertThat(look().status()).isEqualTo(TaskSetState.SUCCEEDED);
    }

    @Test
    void aCopyThatIsAdoptedStaysOne() {
        offered(3);
        Claim copy = copy();
        WorkerSession heir = adopt("idle", copy);
        Claim adopted = adoptedBy.getFirst();
        assertThat(adopted.copy()).isTrue();
        rig.check();
        assertThat(settle(heir, new Settlement.Moved(adopted, Place.slot(1, 7))))
                .containsExactly(Verdict.COUNTED);
        rig.check();
        assertThat(settle(heir, World.passed(adopted))).containsExactly(Verdict.COUNTED);
    }

    private List<Claim> adoptedBy = List.of();

    private WorkerSession adopt(String pod, Claim claim) {
        WorkerSessions.Outcome outcome =
                world.lifecycle.sessions(world.keyspace).open(World.worker(pod), Duration.ofSeconds(30));
        WorkerSession heir = ((WorkerSessions.Outcome.Opened) outcome).session();
        assertThat(heir.orphans()).extracting(orphan -> orphan.id()).containsExactly(claim.id());
        adoptedBy = heir.adopt(List.of(new Takeover(CopiesRig.SET, claim.id(), claim.place())));
        return heir;
    }

    @Test
    void aSlowWorkerTakesNoCopyOfATaskWhoseHolderIsHardlySlower() {
        set(2, World.limits(3, 3, 0));
        rig.passOne(holder);
        Claim claim = CopiesRig.step(holder, List.of(), 1).claims().getFirst();
        CopiesRig.attend(holder, List.of(claim), CopiesRig.LATE, 3000);
        StepCall.Outcome.Done slow = (StepCall.Outcome.Done)
                CopiesRig.prepare(idle, List.of(), 1, 2500).run();
        assertThat(slow.claims()).isEmpty();
        assertThat(slow.others()).as("the token goes on").isPresent();
        StepCall.Outcome.Done quicker = (StepCall.Outcome.Done)
                CopiesRig.prepare(idle, List.of(), 1, 1900).run();
        assertThat(quicker.claims()).hasSize(1);
    }

    @Test
    void nothingIsOfferedWhileATaskWaits() {
        set(3, World.limits(3, 3, 0));
        rig.passOne(holder);
        List<Claim> claims = CopiesRig.step(holder, List.of(), 1).claims();
        CopiesRig.attend(holder, claims, CopiesRig.LATE);
        assertThat(rig.states()).isEmpty();
    }

    @Test
    void aRetryGoesBeforeACopy() {
        set(3, World.limits(3, 3, 0));
        rig.passOne(holder);
        List<Claim> claims = CopiesRig.step(holder, List.of(), 2).claims();
        CopiesRig.attend(holder, claims.subList(0, 1), CopiesRig.LATE);
        settle(holder, World.failed(claims.get(1)));
        rig.check();
        Claim next = CopiesRig.step(idle, List.of(), 1).claims().getFirst();
        assertThat(next.copy()).isFalse();
        assertThat(next.id()).isEqualTo(claims.get(1).id());
        rig.check();
    }

    @Test
    void aTaskIsLateAfterTwiceTheMeanAndASecondAtLeast() {
        set(2, World.limits(3, 3, 0));
        rig.passOne(holder);
        List<Claim> claims = CopiesRig.step(holder, List.of(), 1).claims();
        CopiesRig.attend(holder, claims, 1000);
        assertThat(rig.states()).isEmpty();
        CopiesRig.attend(holder, claims, 1001);
        assertThat(rig.states()).hasSize(1);
    }

    @Test
    void aSlowWorkerOffersAtOnceWhatIsQuickerElsewhere() {
        set(1, World.limits(3, 3, 0));
        HandWrittenOrder.longestFirst(List.of(10_000)).write(store, world.keyspace, CopiesRig.SET);
        List<Claim> claims = CopiesRig.step(holder, List.of(), 1).claims();
        CopiesRig.attend(holder, claims, 100, 1000);
        assertThat(rig.states()).as("not by a worker of the usual speed").isEmpty();
        CopiesRig.attend(holder, claims, 20_000, 3000);
        assertThat(rig.states()).as("10 s are left, less than 12").isEmpty();
        CopiesRig.attend(holder, claims, 100, 10_000);
        assertThat(rig.states()).hasSize(1);
    }

    @Test
    void aTaskThatLostItsWorkerTwiceIsNotOffered() {
        set(2, World.limits(3, 9, 0));
        rig.passOne(holder);
        Claim claim = CopiesRig.step(holder, List.of(), 1).claims().getFirst();
        settle(holder, World.lost(claim));
        claim = CopiesRig.step(holder, List.of(), 1).claims().getFirst();
        settle(holder, World.lost(claim));
        claim = CopiesRig.step(holder, List.of(), 1).claims().getFirst();
        CopiesRig.attend(holder, List.of(claim), CopiesRig.LATE);
        assertThat(rig.states()).isEmpty();
    }

    @Test
    void theBoundOfTasksAtOnceCountsCopies() {
        set(3, World.limits(3, 3, 0).atOnce(2));
        rig.passOne(holder);
        List<Claim> claims = CopiesRig.step(holder, List.of(), 2).claims();
        assertThat(claims).hasSize(2);
        CopiesRig.attend(holder, claims, CopiesRig.LATE);
        assertThat(CopiesRig.step(idle, List.of(), 2).claims()).isEmpty();
    }

    @Test
    void atMostSixtyFourTasksAreOfferedOrHeldTwice() {
        set(101, World.limits(3, 3, 0));
        rig.passOne(holder);
        List<Claim> claims =
                new ArrayList<>(CopiesRig.step(holder, List.of(), 50).claims());
        claims.addAll(CopiesRig.step(holder, List.of(), 50).claims());
        CopiesRig.attend(holder, claims, CopiesRig.LATE);
        rig.check();
        assertThat(rig.states()).hasSize(64);
        assertThat(CopiesRig.step(idle, List.of(), 40).claims()).hasSize(40);
        assertThat(CopiesRig.step(idle, List.of(), 40).claims()).hasSize(24);
        rig.check();
        CopiesRig.attend(holder, claims, CopiesRig.LATE);
        assertThat(rig.states()).hasSize(64);
    }

    @Test
    void aSuspendedRunQueuesATaskOnceBothHoldersGaveItBack() {
        Claim claim = offered(3);
        Claim copy = copy();
        world.control.changeStatus(CopiesRig.SET, new StatusChange.Suspend());
        settle(holder, new Settlement.Returned(claim));
        rig.check();
        assertThat(look().queued()).isZero();
        settle(idle, new Settlement.Returned(copy));
        rig.check();
        assertThat(look().queued()).isEqualTo(1);
    }

    @Test
    void aSetWithoutSpeculationHasNoCopies() {
        world.open(CopiesRig.SET, 2);
        List<Claim> claims = CopiesRig.step(holder, List.of(), 2).claims();
        assertThat(World.enter(holder, CopiesRig.SET).attends()).isFalse();
        assertThat(CopiesRig.attend(holder, claims, CopiesRig.LATE)).isEmpty();
        assertThat(CopiesRig.step(idle, List.of(), 2).claims()).isEmpty();
    }

    @Test
    void linesThatATenantForgedAreReadWithinBounds() {
        offered(3);
        String junk = IntStream.range(0, 5000).mapToObj(i -> i + " o\n").reduce("", String::concat);
        store.ask(redis -> redis.hset(world.key(CopiesRig.SET), "copies", junk));
        store.ask(redis -> redis.hset(world.key(CopiesRig.SET), "offers", "1e400"));
        assertThat(CopiesRig.step(idle, List.of(), 2).claims()).isEmpty();
        store.ask(redis -> redis.hset(world.key(CopiesRig.SET), "copies", "7 n12/x y\nfoo\n0 n1/\n1 o\n1 d\n"));
        assertThat(CopiesRig.step(idle, List.of(), 2).claims()).isEmpty();
    }

    @Test
    void nothingIsLeftOfARunThatIsRemoved() {
        offered(3);
        copy();
        world.control.drop(CopiesRig.SET);
        List<String> left = store.ask(redis -> redis.keys(world.key(CopiesRig.SET) + "*"));
        assertThat(left).allMatch(key -> key.endsWith(":tombstone"));
    }
}
