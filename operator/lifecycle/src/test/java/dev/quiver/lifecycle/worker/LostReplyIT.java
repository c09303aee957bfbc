package dev.quiver.lifecycle.worker;

import static dev.quiver.lifecycle.taskset.World.allPassed;
import static dev.quiver.lifecycle.taskset.World.claim;
import static dev.quiver.lifecycle.taskset.World.places;
import static dev.quiver.lifecycle.taskset.World.step;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.DirtyMark;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.OrdinalScripts;
import dev.quiver.lifecycle.redis.LossyProxy;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.redis.SentCall;
import dev.quiver.lifecycle.redis.StoreUnreachableException;
import dev.quiver.lifecycle.taskset.StatusChange;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetOpening;
import dev.quiver.lifecycle.taskset.TaskSetSnapshot;
import dev.quiver.lifecycle.taskset.TaskSetState;
import dev.quiver.lifecycle.taskset.World;

/** A call whose outcome is unknown is done once, however it got lost. */
class LostReplyIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final Duration ONE_ANSWER = Duration.ofMinutes(1);

    private LossyProxy proxy;
    private RedisStore store;
    private World world;

    @BeforeEach
    void connect() {
        proxy = new LossyProxy(REDIS.process().port());
        store = RedisStore.open(proxy.endpoint(), "lossy");
        world = new World(new Lifecycle(store));
    }

    @AfterEach
    void disconnect() {
        world.close();
        store.close();
        proxy.close();
    }

    @Test
    void claimsOnceWhenTheReplyIsLost() {
        world.open("u", 10);
        WorkerSession session = world.session("a");
        StepCall call = World.prepare(session, "u", List.of(), places(3));
        proxy.loseNextReply();
        assertThatThrownBy(call::run).isInstanceOf(StoreUnreachableException.class);
        assertThat(World.last(session, "u")).containsSame(call);
        assertThatThrownBy(() -> World.prepare(session, "u", List.of(), places(3)))
                .isInstanceOf(IllegalStateException.class);

        StepCall.Outcome.Done done = (StepCall.Outcome.Done) call.run();
        assertThat(done.claims()).extracting(World::id).containsExactlyInAnyOrder(0L, 1L, 2L);
        assertThat(done.claims()).extracting(Claim::place).containsExactlyInAnyOrderElementsOf(places(3));
        assertThat(world.look("u").running()).isEqualTo(3);
        assertThat(step(session, "u", allPassed(done.claims()), 0).verdicts()).containsOnly(StepCall.Verdict.COUNTED);
    }

    @Test
    void claimsOnceWhenTheRequestIsLost() {
        world.open("u", 10);
        WorkerSession session = world.session("a");
        StepCall call = World.prepare(session, "u", List.of(), places(3));
        proxy.loseNextRequest();
        assertThatThrownBy(call::run).isInstanceOf(StoreUnreachableException.class);
        assertThat(((StepCall.Outcome.Done) call.run()).claims()).hasSize(3);
        assertThat(world.look("u").running()).isEqualTo(3);
    }

    @Test
    void aStepThatIsSentWithoutAThreadHasTheSameOutcomeAgain() {
        world.open("u", 10);
        WorkerSession session = world.session("a");
        StepCall call = World.prepare(session, "u", List.of(), places(3));
        StepCall.Outcome.Done done = (StepCall.Outcome.Done) answer(call).join();
        assertThat(done.claims()).hasSize(3);
        assertThat(call.run()).isSameAs(done);
        assertThat(step(session, "u", allPassed(done.claims()), 0).verdicts()).containsOnly(StepCall.Verdict.COUNTED);
    }

    @Test
    void aSentStepWhoseReplyIsLostIsRepeatedByRun() {
        world.open("u", 10);
        WorkerSession session = world.session("a");
        StepCall call = World.prepare(session, "u", List.of(), places(3));
        proxy.loseNextReply();
        assertThat(answer(call))
                .failsWithin(ONE_ANSWER)
                .withThrowableThat()
                .withCauseInstanceOf(StoreUnreachableException.class);
        assertThat(World.last(session, "u")).containsSame(call);
        assertThat(call.send()).as("sent without a connection").isEmpty();
        assertThat(((StepCall.Outcome.Done) call.run()).claims()).hasSize(3);
        assertThat(world.look("u").running()).isEqualTo(3);
    }

    @Test
    void anAbandonedStepIsRepeatedByRunAndItsOwnAnswerCountsNothing() {
        world.open("u", 10);
        WorkerSession session = world.session("a");
        StepCall call = World.prepare(session, "u", List.of(), places(3));
        REDIS.process().pause();
        SentCall<StepCall.Outcome> sent = call.send().orElseThrow();
        sent.abandon();
        REDIS.process().resume();
        assertThat(((StepCall.Outcome.Done) call.run()).claims()).hasSize(3);
        assertThat(world.look("u").running()).isEqualTo(3);
    }

    private static CompletableFuture<StepCall.Outcome> answer(StepCall call) {
        CompletableFuture<StepCall.Outcome> known = new CompletableFuture<>();
        call.send().orElseThrow().whenKnown((outcome, problem) -> {
            if (problem == null) {
                known.complete(outcome);
            } else {
                known.completeExceptionally(problem);
            }
        });
        return known;
    }

    @Test
    void adoptsOnceWhenTheReplyIsLost() {
        world.open("u", 10);
        claim(world.session("a"), "u", 3);
        WorkerSession later = successor();
        List<Takeover> found = later.orphans().stream()
                .filter(orphan -> !orphan.id().equals("2"))
                .map(orphan -> new Takeover("u", orphan.id(), orphan.place()))
                .toList();
        proxy.loseNextReply();
        assertThatThrownBy(() -> later.adopt(found)).isInstanceOf(StoreUnreachableException.class);
        List<Claim> adopted = later.adopt(found);
        assertThat(adopted).hasSize(2);
        assertThat(world.look("u").running()).isEqualTo(2);
        assertThat(world.look("u").lost()).isEqualTo(1);
        assertThat(step(later, "u", allPassed(adopted), 0).verdicts()).containsOnly(StepCall.Verdict.COUNTED);
        later.close();
    }

    private WorkerSession successor() {
        WorkerSessions.Outcome outcome =
                world.lifecycle.sessions(world.keyspace).open(World.worker("a"), Duration.ofSeconds(30));
        return ((WorkerSessions.Outcome.Opened) outcome).session();
    }

    @Test
    void theScriptOfAnAdoptionRepeatsItsAnswer() {
        world.open("u", 10);
        WorkerSession earlier = world.session("a");
        claim(earlier, "u", 3);
        WorkerSession later = successor();
        UnaryOperator<String> keys = World.keys(new SessionKeys(world.keyspace, "p", later.id(), earlier.id()), "u");
        String[] arguments = {later.id(), "0", earlier.id(), "7", "u", "0", "0.1", "2", "2.1"};
        String[] redisKeys = OrdinalScripts.ADOPT.keys(keys, List.of());
        ScriptReply first = store.run(OrdinalScripts.ADOPT, redisKeys, arguments);
        assertThat(claims(first)).hasSize(2);
        ScriptReply again = store.run(OrdinalScripts.ADOPT, redisKeys, arguments);
        assertThat(again.number("executed")).isEqualTo(first.number("executed") + 1);
        assertThat(claims(again)).isEqualTo(claims(first));
        arguments[3] = "6";
        assertThat(store.run(OrdinalScripts.ADOPT, redisKeys, arguments).code()).isEqualTo(ScriptCode.STALE);
        later.close();
        world.reaper.tick();
        assertThat(world.look("u").running()).as("both are gone").isLessThanOrEqualTo(1);
    }

    private static List<List<Object>> claims(ScriptReply reply) {
        return reply.rows("claims").stream()
                .map(row ->
                        List.<Object>of(row.text("id"), row.text("place"), row.number("trial"), row.text("payload")))
                .toList();
    }

    @Test
    void repeatsTheVerdictsWithTheClaims() {
        world.open("u", 10);
        WorkerSession session = world.session("a");
        List<Claim> claims = claim(session, "u", 2);
        Claim forged =
                new Claim("u", "9", 1, Place.slot(0, 0), claims.getFirst().task());
        StepCall call = World.prepare(
                session,
                "u",
                List.of(World.passed(claims.get(0)), World.failed(claims.get(1)), World.passed(forged)),
                places(2));
        proxy.loseNextReply();
        assertThatThrownBy(call::run).isInstanceOf(StoreUnreachableException.class);
        StepCall.Outcome.Done done = (StepCall.Outcome.Done) call.run();
        assertThat(done.verdicts())
                .containsExactly(StepCall.Verdict.COUNTED, StepCall.Verdict.RETRIED, StepCall.Verdict.ALREADY);
        assertThat(done.claims()).extracting(World::id).containsExactlyInAnyOrder(1L, 2L);
        assertThat(done.claims())
                .filteredOn(one -> World.id(one) == 1)
                .extracting(Claim::trial)
                .containsExactly(2);
        TaskSetSnapshot snapshot = world.look("u");
        assertThat(snapshot.succeeded()).isEqualTo(1);
        assertThat(snapshot.trials()).isEqualTo(2);
        assertThat(snapshot.running()).isEqualTo(2);
    }

    @Test
    void countsOnceWhenTheSessionLeftTheSetInTheLostCall() {
        world.open("u", 1);
        WorkerSession session = world.session("a");
        List<Claim> claims = claim(session, "u", 1);
        StepCall call = World.prepare(session, "u", allPassed(claims), places(1));
        proxy.loseNextReply();
        assertThatThrownBy(call::run).isInstanceOf(StoreUnreachableException.class);
        StepCall.Outcome.Done done = (StepCall.Outcome.Done) call.run();
        assertThat(done.verdicts()).containsAnyOf(StepCall.Verdict.ALREADY, StepCall.Verdict.VOID);
        assertThat(done.status()).isEqualTo(SourceStatus.OVER);
        assertThat(world.look("u").status()).isEqualTo(TaskSetState.SUCCEEDED);
        assertThat(world.look("u").succeeded()).isEqualTo(1);
        assertThat(world.look("u").trials()).isEqualTo(1);
    }

    @Test
    void aCallThatWasDelayedInTheNetworkClaimsNothingLater() throws Exception {
        world.open("u", 10);
        WorkerSession session = world.session("a");
        StepCall call = World.prepare(session, "u", List.of(), places(2));
        proxy.holdNextRequest();
        assertThatThrownBy(call::run).isInstanceOf(StoreUnreachableException.class);
        List<Claim> claims = ((StepCall.Outcome.Done) call.run()).claims();
        // The session settles and leaves; then the first copy arrives.
        assertThat(step(session, "u", allPassed(claims), 0).member()).isFalse();
        proxy.deliverHeld();
        assertThat(world.look("u").running()).isZero();
        assertThat(world.look("u").succeeded()).isEqualTo(2);

        // The same while the session is still at the set.
        List<Claim> more = claim(session, "u", 1);
        StepCall second = World.prepare(session, "u", List.of(), places(1));
        proxy.holdNextRequest();
        assertThatThrownBy(second::run).isInstanceOf(StoreUnreachableException.class);
        second.run();
        StepCall.Outcome.Done third = step(session, "u", allPassed(more), 1);
        proxy.deliverHeld();
        assertThat(world.look("u").running()).isEqualTo(2);
        assertThat(third.claims()).hasSize(1);
    }

    @Test
    void aDelayedCallThatFoundNothingClaimsNothingLater() throws Exception {
        world.control.open(
                TaskSetOpening.of("u", "p", World.spec(new ExecutionSpec.TaskSource.Lines()), TaskSetLimits.DEFAULT));
        WorkerSession session = world.session("a");
        StepCall call = World.prepare(session, "u", List.of(), places(2));
        proxy.holdNextRequest();
        assertThatThrownBy(call::run).isInstanceOf(StoreUnreachableException.class);
        assertThat(((StepCall.Outcome.Done) call.run()).claims()).isEmpty();
        world.control.feed("u", 0, List.of("a", "b"), true);
        proxy.deliverHeld();
        assertThat(world.look("u").running()).isZero();
    }

    @Test
    void stepGoesOnUntilItsOutcomeIsKnown() throws Exception {
        world.open("u", 4);
        WorkerSession session = world.session("a");
        World.enter(session, "u");
        proxy.loseNextReply();
        StepCall.Outcome.Done done = (StepCall.Outcome.Done) World.stepUntilKnown(session, "u", List.of(), places(4));
        assertThat(done.claims()).hasSize(4);
        assertThat(world.look("u").running()).isEqualTo(4);
    }

    @Test
    void everyOtherCallCanBeRepeated() {
        world.open("u", 4);
        WorkerSession session = world.session("a");
        for (Runnable act : List.<Runnable>of(
                () -> world.open("v", 4),
                () -> world.control.changeStatus("u", new StatusChange.Suspend()),
                () -> world.pools.announce("p", "pool-uid"),
                () -> World.heartbeat(session, List.of("u"), 1, false),
                () -> World.pick(session),
                () -> world.reaper.tick(),
                () -> world.control.clean(List.of(new DirtyMark("u", 1))),
                () -> world.control.drop("v"))) {
            proxy.loseNextReply();
            assertThatThrownBy(act::run).isInstanceOf(StoreUnreachableException.class);
            act.run();
        }
        assertThat(world.control.present()).containsExactly("u");
        assertThat(world.look("u").status()).isEqualTo(TaskSetState.SUSPENDED);
    }
}
