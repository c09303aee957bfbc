package dev.quiver.lifecycle.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.SourceLoad;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.WorkerSession;

/** A set whose tasks may not all run at once. */
class ParallelTasksIT {

    private static final Duration SOON = Duration.ofMillis(10);

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private RedisStore store;
    private World world;
    private WorkerSession session;
    private WorkerSession other;

    @BeforeEach
    void open() {
        store = REDIS.open();
        world = new World(new Lifecycle(store));
        session = world.session("a");
        other = world.session("b");
    }

    @AfterEach
    void close() {
        world.close();
        store.close();
    }

    private void open(long tasks, int atOnce) {
        world.open("u", tasks, TaskSetLimits.DEFAULT.atOnce(atOnce));
    }

    private void allow(int atOnce) {
        world.control.adjust("u", 0, atOnce, Duration.ZERO);
    }

    private static List<Claim> claim(WorkerSession session, int tasks) {
        return World.claim(session, "u", tasks);
    }

    /** Takes every token that is there. */
    private Optional<String> token() {
        Optional<String> last = Optional.empty();
        for (Optional<String> token = session.awaitWork(SOON); token.isPresent(); token = session.awaitWork(SOON)) {
            last = token;
        }
        return last;
    }

    private static WorkerSession.HeartbeatOutcome.SetNews news(WorkerSession session) {
        return ((WorkerSession.HeartbeatOutcome.Renewed) World.heartbeat(session, List.of("u"), 0, false))
                .sets()
                .get("u");
    }

    @Test
    void noMoreThanTheBoundAreGivenOutToAllWorkersTogether() {
        open(100, 5);
        assertThat(claim(session, 3)).hasSize(3);
        StepCall.Outcome.Done done = World.step(other, "u", List.of(), 8);
        assertThat(done.claims()).hasSize(2);
        assertThat(done.claimable()).isZero();
        assertThat(claim(session, 8)).isEmpty();
        assertThat(world.look("u").running()).isEqualTo(5);
        assertThat(world.look("u").queued()).isEqualTo(95);
    }

    @Test
    void atItsBoundNobodyIsSentToIt() {
        open(100, 2);
        token();
        claim(session, 2);
        token();
        assertThat(World.pick(other)).isEqualTo(new WorkerSession.PickOutcome.Nothing());
        assertThat(session.pick(List.of("u"), List.of())).isEqualTo(new WorkerSession.PickOutcome.Nothing());
        assertThat(token()).isEmpty();
    }

    @Test
    void aTaskThatEndsMakesRoomForOneMore() {
        open(100, 2);
        List<Claim> claims = claim(session, 2);
        token();
        StepCall.Outcome.Done done = World.step(session, "u", List.of(World.passed(claims.getFirst())), 0);
        assertThat(done.claimable()).isEqualTo(1);
        assertThat(token()).contains("u");
        assertThat(claim(other, 8)).hasSize(1);
    }

    @Test
    void aRaisedBoundWakesAnIdleWorkerAtOnce() {
        open(100, 2);
        claim(session, 2);
        token();
        allow(4);
        assertThat(token()).contains("u");
        assertThat(claim(other, 8)).hasSize(2);
        allow(0);
        assertThat(claim(other, 8)).hasSize(8);
    }

    @Test
    void aLoweredBoundEndsNothing() {
        open(100, 0);
        List<Claim> claims = claim(session, 6);
        allow(3);
        assertThat(World.pick(other)).isEqualTo(new WorkerSession.PickOutcome.Nothing());
        assertThat(world.look("u").running()).isEqualTo(6);
        StepCall.Outcome.Done done = World.step(session, "u", World.allPassed(claims.subList(0, 3)), 8);
        assertThat(done.verdicts()).containsOnly(StepCall.Verdict.COUNTED);
        assertThat(done.claims()).isEmpty();
        assertThat(World.step(session, "u", World.allPassed(claims.subList(3, 5)), 8)
                        .claims())
                .hasSize(2);
    }

    @Test
    void retriesKeepTheBoundToo() {
        open(3, 2);
        List<Claim> claims = claim(session, 2);
        World.step(session, "u", World.allFailed(claims), 0);
        assertThat(claim(session, 8)).extracting(Claim::id).containsExactly("0", "1");
    }

    @Test
    void whatWaitsForItsTimeTakesNoRoom() {
        open(3, 1);
        Claim first = claim(session, 1).getFirst();
        StepCall.Outcome.Done done =
                World.step(session, "u", List.of(World.failed(first, new Retry.After(Duration.ofHours(1)))), 1);
        assertThat(done.claims()).hasSize(1);
        assertThat(done.claimable()).isZero();
    }

    @Test
    void whoeverSizesThePoolSeesHowManyMayRun() {
        open(100, 5);
        claim(session, 2);
        SourceLoad load = world.lifecycle
                .waiting(world.keyspace)
                .of(List.of("p"))
                .get("p")
                .getFirst();
        assertThat(load.maxParallel()).isEqualTo(5);
        assertThat(load.claimable()).isEqualTo(98);
        assertThat(load.takeable()).isEqualTo(3);
        claim(session, 3);
        assertThat(world.lifecycle.waiting(world.keyspace).of(List.of("p")).get("p"))
                .isEmpty();
    }

    @Test
    void aHeartbeatTellsOfWorkOnlyWhereThereIsRoom() {
        open(100, 2);
        claim(session, 1);
        assertThat(news(session)).isEqualTo(WorkerSession.HeartbeatOutcome.SetNews.CLAIMABLE);
        claim(session, 1);
        assertThat(news(session)).isEqualTo(WorkerSession.HeartbeatOutcome.SetNews.RUNNING);
    }
}
