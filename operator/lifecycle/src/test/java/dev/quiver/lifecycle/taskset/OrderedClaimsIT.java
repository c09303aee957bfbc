package dev.quiver.lifecycle.taskset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.TaskEstimate;
import dev.quiver.lifecycle.keyspace.LeaseTimes;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest.Pace;
import dev.quiver.lifecycle.worker.Takeover;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerSessions;

/** Which tasks of an order a worker gets, by what it says of its speed. */
class OrderedClaimsIT {

    private static final Pace USUAL = new Pace(1000, 2);
    private static final Pace UNKNOWN = new Pace(0, 2);
    private static final Pace SLOW = new Pace(10_000, 2);

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private RedisStore store;
    private World world;
    private WorkerSession session;
    private WorkerSession other;

    @BeforeEach
    void open() {
        store = REDIS.open();
        world = new World(
                new Lifecycle(store, new LeaseTimes(Duration.ofMinutes(1), Duration.ofHours(1), Duration.ZERO)));
        session = world.session("a");
        other = world.session("b");
    }

    @AfterEach
    void close() {
        world.close();
        store.close();
    }

    /** Task i takes so many ms; those of the set behind them stand in no order. */
    private void open(int tasks, Integer... millis) {
        world.open("u", tasks, World.limits(3, 3, 0));
        order(millis);
    }

    private void order(Integer... millis) {
        HandWrittenOrder.longestFirst(List.of(millis)).write(store, world.keyspace, "u");
    }

    private static StepCall.Outcome.Done step(WorkerSession session, int tasks, Pace pace) {
        return (StepCall.Outcome.Done) World.prepare(session, "u", List.of(), World.places(tasks), pace)
                .run();
    }

    private static List<String> claim(WorkerSession session, int tasks, Pace pace) {
        return ids(step(session, tasks, pace).claims());
    }

    private static List<String> ids(List<Claim> claims) {
        return claims.stream().map(Claim::id).toList();
    }

    private String field(String name) {
        return store.ask(redis -> redis.hget(world.key("u"), name));
    }

    private boolean hasOrder() {
        return store.ask(redis -> redis.exists(
                        new TaskSetKeys(world.keyspace, "u").source().order()))
                > 0;
    }

    @Test
    void theLongestGoFirst() {
        open(5, 2000, 6000, 4000, 10_000, 8000);
        assertThat(claim(session, 2, USUAL)).containsExactly("3", "4");
        assertThat(field("fresh_ms")).isEqualTo("12000");
        assertThat(claim(other, 9, new Pace(1500, 2))).containsExactly("1", "2", "0");
        assertThat(field("fresh_ms")).isEqualTo("0");
    }

    @Test
    void aWorkerThatDoesNotKnowItsSpeedGetsTheShortest() {
        open(4, 2000, 6000, 4000, 10_000);
        assertThat(claim(session, 2, UNKNOWN)).containsExactly("0", "2");
        assertThat(field("tail")).isEqualTo("2");
        assertThat(claim(other, 9, USUAL)).containsExactly("3", "1");
    }

    @Test
    void aSlowWorkerGetsNoneThatWouldOutlastTheRest() {
        open(4, 100, 600, 90, 20_000);
        claim(other, 0, USUAL);
        StepCall.Outcome.Done done = step(session, 4, SLOW);
        // The rest takes 20.8 s, on 2 slots, ten times longer here: at most 1,039 ms.
        assertThat(ids(done.claims())).containsExactly("2", "0", "1");
        StepCall.Outcome.Done none = step(session, 4, SLOW);
        assertThat(none.claims()).isEmpty();
        assertThat(none.claimable()).isEqualTo(1);
        assertThat(none.others()).isPresent();
        assertThat(claim(other, 4, USUAL)).containsExactly("3");
    }

    @Test
    void aSlowWorkerMayAlwaysTakeASecond() {
        open(2, 100, 102);
        assertThat(claim(session, 2, SLOW)).containsExactly("0");
        assertThat(claim(other, 2, new Pace(9000, 2))).containsExactly("1");
    }

    @Test
    void whereAllWorkersAreSlowTheyTakeTheLongestFirst() {
        open(3, 20_000, 30_000, 40_000);
        StepCall.Outcome.Done none = step(session, 1, SLOW);
        assertThat(none.claims()).isEmpty();
        assertThat(none.others()).isPresent();
        noQuickWorkerCame();
        assertThat(claim(session, 1, SLOW)).containsExactly("2");
        assertThat(claim(other, 1, USUAL)).containsExactly("1");
        assertThat(claim(session, 1, SLOW)).as("a quick one is there").isEmpty();
    }

    private void noQuickWorkerCame() {
        store.ask(redis -> redis.hset(world.key("u"), "quick_until", "1"));
    }

    @Test
    void retriesGoFirst() {
        open(3, 2000, 6000, 4000);
        List<Claim> first = step(session, 1, USUAL).claims();
        StepCall.Outcome.Done done = (StepCall.Outcome.Done)
                World.prepare(session, "u", List.of(World.failed(first.getFirst())), World.places(2), SLOW)
                        .run();
        assertThat(ids(done.claims())).containsExactly("1");
        assertThat(done.claims().getFirst().task().estimate())
                .contains(new TaskEstimate(Duration.ofSeconds(6), true, 10_000));
    }

    @Test
    void tasksBehindTheOrderFollowByTheirNumbers() {
        open(6, 2000, 6000, 4001);
        assertThat(claim(other, 1, UNKNOWN)).containsExactly("0");
        List<Claim> claims = step(session, 4, USUAL).claims();
        assertThat(ids(claims)).containsExactly("1", "2", "3", "4");
        assertThat(claims.get(1).task().estimate()).contains(new TaskEstimate(Duration.ofMillis(4001), false, 1000));
        assertThat(claims.get(2).task().estimate()).isEmpty();
        assertThat(claim(session, 4, SLOW)).containsExactly("5");
    }

    @Test
    void adoptedTasksHaveTheirEstimates() {
        open(2, 2000, 6000);
        claim(session, 2, USUAL);
        WorkerSession heir = ((WorkerSessions.Outcome.Opened)
                        world.lifecycle.sessions(world.keyspace).open(World.worker("a"), Duration.ofSeconds(30)))
                .session();
        List<Takeover> all = heir.orphans().stream()
                .map(orphan -> new Takeover(orphan.uid(), orphan.id(), orphan.place()))
                .toList();
        assertThat(heir.adopt(all))
                .extracting(claim -> claim.task().estimate().map(TaskEstimate::usual))
                .containsExactlyInAnyOrder(Optional.of(Duration.ofSeconds(6)), Optional.of(Duration.ofSeconds(2)));
        heir.close();
    }

    @Test
    void aFedSetGivesNothingOutBeforeItsEndIsKnown() {
        world.control.open(TaskSetOpening.of("u", "p", World.spec(new TaskSource.Lines()), World.limits(3, 3, 0)));
        order(2000, 6000, 4000);
        world.control.feed("u", 0, List.of("one", "two"), false);
        StepCall.Outcome.Done early = step(session, 3, USUAL);
        assertThat(early.claims()).isEmpty();
        assertThat(early.claimable()).isZero();
        assertThat(World.pick(other)).isEqualTo(new WorkerSession.PickOutcome.Nothing());
        world.control.feed("u", 2, List.of("three"), true);
        assertThat(World.pick(other)).isEqualTo(new WorkerSession.PickOutcome.Picked("u"));
        assertThat(claim(session, 3, USUAL)).containsExactly("1", "2", "0");
    }

    @Test
    void payloadsAreBoundedAsInAnySet() {
        world.control.open(TaskSetOpening.of("u", "p", World.spec(new TaskSource.Lines()), World.limits(3, 3, 0)));
        order(2000, 6000, 4000, 8000);
        String large = "x".repeat(StepCall.MAX_CLAIM_BYTES - 8);
        world.control.feed("u", 0, List.of("small", large, "small", large), true);
        assertThat(claim(session, 4, USUAL)).containsExactly("3");
        assertThat(claim(session, 4, USUAL)).containsExactly("1", "2");
        assertThat(claim(session, 4, USUAL)).containsExactly("0");
        assertThat(field("fresh_ms")).isEqualTo("0");
    }

    @Test
    void aShortOrderIsNone() {
        open(3, 2000, 6000, 4000);
        HandWrittenOrder.writeText(
                store, new TaskSetKeys(world.keyspace, "u").source().order(), new byte[35]);
        assertThat(claim(session, 2, USUAL)).containsExactly("0", "1");
        assertThat(claim(session, 2, SLOW)).containsExactly("2");
        assertThat(field("ordered")).isNull();
    }

    @Test
    void anOrderOfTasksThatAreNotThereIsNone() {
        open(3, 2000, 6000, 4000);
        byte[] bytes = HandWrittenOrder.longestFirst(List.of(2000, 6000, 4000)).bytes();
        bytes[0] = 77;
        HandWrittenOrder.writeText(
                store, new TaskSetKeys(world.keyspace, "u").source().order(), bytes);
        assertThat(claim(session, 2, USUAL)).containsExactly("0", "1");
        assertThat(claim(other, 2, USUAL)).containsExactly("2");
    }

    @Test
    void anOrderThatIsLostMidwayEndsItsSetInWords() {
        open(3, 2000, 6000, 4000);
        claim(session, 1, USUAL);
        store.ask(
                redis -> redis.del(new TaskSetKeys(world.keyspace, "u").source().order()));
        step(other, 1, USUAL);
        assertThat(world.look("u").status()).isEqualTo(TaskSetState.FAILED);
        assertThat(world.look("u").reason()).isEqualTo("OrderLost");
    }

    /** Its writes harm its set alone, and no step fails: a worker would repeat that one for ever. */
    @Test
    void noNumberOfATenantBreaksAStep() {
        for (String field : List.of("cursor", "tail", "fresh_ms", "quick_until", "ordered", "count")) {
            for (String number : List.of("-1", "0", "2", "3", "4", "9007199254740992")) {
                String set = "u-" + field.replace('_', '-') + number;
                world.open(set, 3, World.limits(3, 3, 0));
                HandWrittenOrder.longestFirst(List.of(2000, 6000, 4000)).write(store, world.keyspace, set);
                store.ask(redis -> redis.hset(world.key(set), field, number));
                for (Pace pace : List.of(UNKNOWN, SLOW, USUAL)) {
                    for (int i = 0; i < 2; i++) {
                        List<Claim> claims = ((StepCall.Outcome.Done)
                                        World.prepare(session, set, List.of(), World.places(2), pace)
                                                .run())
                                .claims();
                        World.step(session, set, World.allPassed(claims), 0);
                    }
                }
                world.control.changeStatus(set, new StatusChange.Cancel());
                assertThat(world.control.unpassed(set)).as(set).isNotNull();
                world.control.drop(set);
            }
        }
    }

    @Test
    void theOrderGoesWhenItIsUsedUpAndWithItsSet() {
        open(2, 2000, 6000);
        List<Claim> claims = step(session, 2, USUAL).claims();
        assertThat(hasOrder()).isTrue();
        World.step(session, "u", World.allPassed(claims), 0);
        assertThat(world.look("u").status()).isEqualTo(TaskSetState.SUCCEEDED);
        assertThat(hasOrder()).isFalse();
        world.control.drop("u");
    }

    @Test
    void theOrderTellsWhatNeverRan() {
        open(6, 2000, 6000, 4000, 10_000);
        World.step(session, "u", World.allPassed(step(session, 2, USUAL).claims()), 0);
        claim(other, 1, UNKNOWN);
        world.control.changeStatus("u", new StatusChange.Cancel());
        assertThat(hasOrder()).isTrue();
        other.close();
        session.close();
        world.reaper.tick();
        UnpassedTasks unpassed = world.control.unpassed("u");
        if (unpassed instanceof UnpassedTasks.Known known) {
            assertThat(IntStream.range(0, 6).filter(known::has)).containsExactly(0, 2, 4, 5);
        }
        assertThat(Map.of("unpassed", unpassed)).doesNotContainValue(new UnpassedTasks.Unknown());
        world.control.drop("u");
        assertThat(hasOrder()).isFalse();
    }

    @Test
    void aPaceHasBounds() {
        assertThatThrownBy(() -> new Pace(-1, 2)).hasMessageContaining("slowness is 0 to 1000000");
        assertThatThrownBy(() -> new Pace(1000, 0)).hasMessageContaining("slots are 1 to 100000");
    }
}
