package dev.quiver.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.lettuce.core.FlushMode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.LossyProxy;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.redis.StoreUnreachableException;
import dev.quiver.lifecycle.task.model.NodeOutcome;
import dev.quiver.lifecycle.task.model.OnceName;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.producer.EventsLostException;
import dev.quiver.lifecycle.task.producer.TaskEvents;

/** A program under its own rights, and workers that run what it creates. */
class QuiverClientIT {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private Workers workers;
    private QuiverClient quiver;

    @BeforeEach
    void begin() {
        workers = new Workers(REDIS.process(), "client" + NUMBER.incrementAndGet());
        quiver = workers.client();
    }

    @AfterEach
    void end() {
        quiver.close();
        workers.close();
    }

    @Test
    void tasksChainsAndGroupsReturnWhatTheirFunctionsDo() throws Exception {
        workers.start();
        List<Handle> all = quiver.submit(List.of(
                Job.call("echo", "a", Map.of("b", List.of(1.5)), null),
                Job.chain(Job.call("add", 1, 2), Job.call("add", 10).pool("large")),
                Job.group(Job.call("add", 1), Job.call("none"), Job.chain(Job.call("echo"), Job.call("echo", 7))),
                Job.chain(Job.call("list", 500), Job.forEach(Job.call("add", 1)).window(20), Job.call("add")),
                Job.group()));
        quiver.awaitAll(all, LONG);
        assertThat(quiver.results(all).stream().map(result -> result.get().toString()))
                .containsExactly("[\"a\",{\"b\":[1.5]},null]", "13", "[1,null,[7,[]]]", "125250", "[]");
        assertThat(quiver.handle(all.getFirst().id()).state()).hasValue(TreeState.State.FINISHED);
    }

    @Test
    void failureBringsItsReasonAndItsNode() throws Exception {
        workers.start();
        Handle failed = quiver.submit(Job.chain(Job.call("echo"), Job.group(Job.call("fail"), Job.call("echo"))));
        Handle whole = quiver.submit(
                Job.group(Job.call("fail").maxTrials(1), Job.call("add", 1)).continueOnError());
        quiver.awaitAll(List.of(failed, whole), LONG);
        assertThatThrownBy(failed::result)
                .isInstanceOfSatisfying(
                        JobFailedException.class,
                        no -> assertThat(no)
                                .returns(failed.id() + ".3", JobFailedException::node)
                                .returns("Exception", JobFailedException::reason)
                                .returns(3, JobFailedException::trial)
                                .hasMessageContaining("fail fails"));
        assertThat(whole.result().toString()).isEqualTo("[null,1]");
    }

    @Test
    void cancelEndsAJobOnce() throws Exception {
        workers.start();
        Handle never = quiver.submit(Job.chain(Job.call("echo"), Job.call("never")));
        assertThatThrownBy(() -> never.await(Duration.ofMillis(300))).isInstanceOf(TimeoutException.class);
        assertThatThrownBy(never::result).isInstanceOf(IllegalStateException.class);
        assertThat(never.cancel()).isTrue();
        assertThat(never.cancel()).isFalse();
        never.await(LONG);
        assertThatThrownBy(never::result)
                .isInstanceOfSatisfying(
                        JobFailedException.class, no -> assertThat(no.reason()).isEqualTo("Cancelled"));
    }

    @Test
    void oneJobOfANameGoesOnAtATime() throws Exception {
        workers.start();
        Handle first = quiver.submitOnce("nightly", Job.call("never"), Options.DEFAULT);
        assertThat(quiver.submitOnce("nightly", Job.call("echo"), Options.DEFAULT)
                        .id())
                .isEqualTo(first.id());
        assertThat(first.cancel()).isTrue();
        Handle next = quiver.submitOnce("nightly", Job.call("echo", 1), Options.DEFAULT);
        next.await(LONG);
        assertThat(next.result().toString()).isEqualTo("[1]");
        assertThatThrownBy(() -> quiver.submitOnce("", Job.call("echo"), Options.DEFAULT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 to 253 characters");
    }

    @Test
    void aNewerJobTakesThePlaceOfTheOneThatWaits() throws Exception {
        workers.start();
        Handle first = quiver.submitOnce("sync", OnceName.Only.WHILE_IT_WAITS, Job.call("never"), Options.DEFAULT);
        assertThat(quiver.submitOnce("sync", OnceName.Only.WHILE_IT_WAITS, Job.call("echo"), Options.DEFAULT)
                        .id())
                .isEqualTo(first.id());
        Handle next = quiver.submitOnce("sync", OnceName.Only.THE_NEWEST, Job.call("echo", 1), Options.DEFAULT);
        next.await(LONG);
        assertThat(next.result().toString()).isEqualTo("[1]");
        assertThatThrownBy(first::result).hasMessageContaining("Replaced");
        assertThatThrownBy(() -> quiver.submitOnce(
                        "sync", OnceName.Only.THE_NEWEST, Job.chain(Job.call("echo")), Options.DEFAULT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a single task can have it");
    }

    @Test
    void eventsTellWhatBecomesOfJobsAndGoOnInAnotherProcess() {
        workers.start();
        String position;
        try (Events events = quiver.events(LONG)) {
            assertThat(events.next(Duration.ofMillis(1))).isEmpty();
            Handle echo = quiver.submit(List.of(Job.call("echo", 1)), Options.DEFAULT.keep(Duration.ZERO))
                    .getFirst();
            TaskEvents.Event told = events.next(LONG).orElseThrow();
            assertThat(told.node()).isEqualTo(echo.id());
            assertThat(told.outcome()).contains(new NodeOutcome.Value("[1]"));
            position = events.position();
        }
        Handle never = quiver.submit(Job.call("never"));
        never.cancel();
        try (QuiverClient other = workers.client();
                Events events = other.events(position, LONG)) {
            assertThat(events.next(LONG).orElseThrow().node()).isEqualTo(never.id());
        }
        try (Events events = quiver.events("0-1/0", LONG)) {
            assertThatThrownBy(() -> events.next(LONG)).isInstanceOf(EventsLostException.class);
            assertThat(events.next(Duration.ofMillis(1)))
                    .as("it goes on with what is there")
                    .isEmpty();
        }
    }

    @Test
    void aJobThatHasNotBegunIsUndoneByItsEnd() {
        Handle undoable = quiver.submit(Job.call("echo", 1).undoable());
        assertThat(undoable.undo()).isEmpty();
        assertThatThrownBy(undoable::result).isInstanceOf(JobFailedException.class);
        Handle chain = quiver.submit(
                Job.chain(Job.call("echo").planned(), Job.call("never")).undoable());
        assertThatThrownBy(quiver.handle(chain.id() + ".1")::undo)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("undone as a whole");
        assertThat(chain.undo()).isEmpty();
        assertThatThrownBy(chain::result).isInstanceOf(JobFailedException.class);
    }

    @Test
    void aChainIsUndoneByOneJobAndWhatItsLastPlanLeftComesFirst() throws Exception {
        workers.start();
        Handle chain = quiver.submit(Job.chain(
                        Job.call("step", 1, 2).planned(),
                        Job.group(Job.call("step", 2, 1).planned()))
                .undoable());
        chain.await(LONG);
        List<Handle> undo = chain.undo();
        assertThat(chain.undo())
                .extracting(Handle::id)
                .containsExactly(undo.getFirst().id());
        undo.getFirst().await(LONG);
        assertThat(undo.getFirst().result().toString())
                .isEqualTo("[[[2,\"undone\",2]],[[1,\"undone\",1],[1,\"undone\",1]]]");
    }

    @Test
    void whatCannotBeUndoneIsSaidWhereTheJobIsMade() {
        for (Job job : List.of(Job.command("x"), Job.forEach(Job.call("x")))) {
            assertThatThrownBy(job::undoable).hasMessageContaining("a call, a chain or a group can be undone");
        }
        assertThatThrownBy(() -> quiver.submit(Job.chain(Job.call("x")).undoable()))
                .hasMessageContaining("no task of the composite has a plan");
        assertThatThrownBy(() -> quiver.submit(Job.chain(Job.call("x").undoable())))
                .hasMessageContaining("undoable is of a whole job");
    }

    @Test
    void aCallThatIsPlannedWaitsForThePlanOfItsFunction() {
        Handle planned = quiver.submit(Job.call("echo", 1).planned());
        assertThat(planned.state()).isPresent();
        assertThatThrownBy(() -> Job.chain(Job.call("echo")).planned())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("only a call has a plan");
        assertThatThrownBy(() -> Job.command("ls").withContingency())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("only a call has a contingency");
        assertThatThrownBy(() -> Job.call("echo").planned(Duration.ofSeconds(61)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 to 60 seconds");
    }

    @Test
    void aComplexTaskKeepsWhatItsRequestsSay() throws Exception {
        workers.start();
        for (int i = 0; i < 2; i++) {
            quiver.submit(Job.call("tally", i).complexKey("k")).await(LONG);
        }
        ComplexState state = quiver.complexState("tally", "k").orElseThrow();
        assertThat(state.version()).isEqualTo(2);
        assertThat(state.fields()).containsOnlyKeys("n", "last");
        assertThat(state.fields().get("n").asInt()).isEqualTo(2);
        assertThat(state.markers().get("m")).hasToString("{\"args\":[1],\"tags\":[\"t\"],\"left\":1}");
        assertThat(quiver.complexState("tally", "none")).isEmpty();
        assertThatThrownBy(() -> Job.call("tally").complexKey("a b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("complexKey is \"a b\"");
        assertThatThrownBy(() -> quiver.submit(Job.call("tally").complexKey("k").resources("online")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("without contingency and resources");
    }

    @Test
    void jobThatIsNotKeptIsGone() throws Exception {
        workers.start();
        Handle gone = quiver.submit(List.of(Job.call("echo")), Options.DEFAULT.keep(Duration.ZERO))
                .getFirst();
        gone.await(LONG);
        Awaitility.await().until(() -> gone.state().isEmpty());
        assertThatThrownBy(gone::result).isInstanceOf(JobGoneException.class);
    }

    @Test
    void tenThousandTasksRunOnceAndAreCollectedThoughRepliesAreLost() throws Exception {
        workers.start();
        try (LossyProxy proxy = new LossyProxy(REDIS.process().port());
                QuiverClient lossy = QuiverClient.open(
                        RedisEndpoint.standalone(Workers.uri(
                                Integer.parseInt(proxy.endpoint().uri().replaceAll(".*:", "")))),
                        workers.keyspace,
                        "default",
                        LONG)) {
            lossy.submit(Job.call("none")).await(LONG);
            workers.ran.set(0);
            proxy.loseNextReply();
            List<Handle> all = lossy.submit(IntStream.range(0, 10_000)
                    .mapToObj(i -> Job.call("add", i, 1))
                    .toList());
            lossy.awaitAll(all, LONG);
            List<Integer> results = lossy.results(all).stream()
                    .map(result -> result.get().intValue())
                    .toList();
            assertThat(results)
                    .isEqualTo(IntStream.rangeClosed(1, 10_000).boxed().toList());
            assertThat(workers.ran).hasValue(10_000);
            assertThat(proxy.armed()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatHadNoAnswerIsCreatedByTheNextFlush(boolean isPoolKnown) throws Exception {
        workers.start();
        try (LossyProxy proxy = new LossyProxy(REDIS.process().port());
                QuiverClient lossy = QuiverClient.open(
                        RedisEndpoint.standalone(Workers.uri(
                                Integer.parseInt(proxy.endpoint().uri().replaceAll(".*:", "")))),
                        workers.keyspace,
                        "default",
                        Duration.ofSeconds(2))) {
            proxy.loseAllAfter(isPoolKnown ? 1 : 0, false); // the first call looks at the pool
            assertThatThrownBy(() -> lossy.submit(Job.call("add", 1, 2))).isInstanceOf(StoreUnreachableException.class);
            proxy.disarm();
            Handle job = lossy.pending().getFirst().handles().getFirst();
            assertThat(job.state()).isEmpty();
            workers.operator.ask(redis -> redis.configSet("maxmemory", "1"));
            try {
                assertThatThrownBy(lossy::flush).isInstanceOf(StoreRefusedException.class);
                assertThatThrownBy(() -> lossy.submit(Job.call("echo"))).isInstanceOf(StoreRefusedException.class);
            } finally {
                workers.operator.ask(redis -> redis.configSet("maxmemory", "0"));
            }
            assertThat(lossy.pending())
                    .as("the refused one is told of and not kept")
                    .hasSize(1);
            lossy.flush();
            assertThat(lossy.pending()).isEmpty();
            job.await(LONG);
            assertThat(job.result().intValue()).isEqualTo(3);
            assertThat(workers.ran).hasValue(1);
        }
    }

    @Test
    void refusedBatchIsFlushedAgain() throws Exception {
        workers.start();
        Batch batch = quiver.batch(List.of(Job.call("add", 1, 2)), Options.DEFAULT);
        workers.operator.ask(redis -> redis.configSet("maxmemory", "1"));
        try {
            assertThatThrownBy(batch::flush).isInstanceOf(StoreRefusedException.class);
        } finally {
            workers.operator.ask(redis -> redis.configSet("maxmemory", "0"));
        }
        batch.flush();
        batch.flush();
        quiver.awaitAll(batch.handles(), LONG);
        assertThat(workers.ran).hasValue(1);
    }

    @Test
    void unknownPoolRefusesAll() {
        assertThatThrownBy(() -> quiver.submit(
                        List.of(Job.call("echo"), Job.forEach(Job.call("echo").pool("none")))))
                .isInstanceOfSatisfying(
                        UnknownPoolException.class, no -> assertThat(no.pool()).isEqualTo("none"));
        assertThat(workers.lifecycle.trees(workers.keyspace).present("*")).isEmpty();
    }

    @Test
    void keyspaceThatItCannotUseIsRefusedInWords() {
        workers.operator.ask(redis -> redis.hset(workers.keyspace.meta(), "schema", "2"));
        assertThatThrownBy(workers::client).hasMessageContaining("version 2 of its layout");
        workers.operator.ask(redis -> redis.hset(workers.keyspace.meta(), "schema", "1"));
        workers.operator.ask(redis -> redis.del(workers.keyspace.meta()));
        assertThatThrownBy(workers::client).hasMessageContaining("no WorkerPool has it");
        assertThatThrownBy(() -> QuiverClient.open(
                        RedisEndpoint.standalone(workers.uri()), Keyspace.ofNamespace("other"), "p", LONG))
                .isInstanceOfSatisfying(
                        StoreRefusedException.class,
                        no -> assertThat(no.kind()).isEqualTo(StoreRefusedException.Kind.NO_RIGHT));
    }

    @Test
    void functionsThatAreMissingAreWaitedForAndThenReported() {
        workers.operator.ask(redis -> redis.functionFlush(FlushMode.SYNC));
        try (QuiverClient hasty = workers.client(Duration.ofMillis(100))) {
            assertThatThrownBy(() -> hasty.submit(Job.call("echo")))
                    .hasMessageContaining("the operator loads the functions");
        }
        CompletableFuture<Void> load = CompletableFuture.runAsync(
                () -> workers.operator.ask(redis -> redis.functionLoad(Lifecycle.LIBRARY.source(), true)),
                CompletableFuture.delayedExecutor(500, TimeUnit.MILLISECONDS));
        assertThat(quiver.submit(Job.call("echo")).state()).isPresent();
        load.join();
    }
}
