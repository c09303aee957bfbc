package dev.quiver.controller.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.controller.rig.AnsweringHistory;
import dev.quiver.controller.run.RecordClient.Answer;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.TestNames;
import dev.quiver.lifecycle.history.TestTimes;

/** The facts that the operator learns from history, and from one that is away, slow or lies. */
class RecordClientIT {

    private static final String ESTIMATES = "/v1/namespaces/team/classes/nightly/estimates";
    private static final String RUNS = "/v1/namespaces/team/runs?kind=TaskSet&name=specs&limit=1";
    private static final String BITS = "/v1/namespaces/team/runs/u1/unpassed";

    /** Far above the two seconds that a question takes: the machine is busy. */
    private static final Duration SOON = Duration.ofSeconds(20);

    @TempDir
    private Path folder;

    private AnsweringHistory history;
    private final AtomicLong nanos = new AtomicLong();
    private RecordClient client;

    @BeforeEach
    void listen() {
        history = AnsweringHistory.listen(folder);
        client = new RecordClient(Optional.of(history.settings()), nanos::get);
    }

    @AfterEach
    void close() {
        history.close();
    }

    private Answer<TestTimes> ask() {
        nanos.addAndGet(RecordClient.REST.toNanos() + 1);
        long begun = System.nanoTime();
        Answer<TestTimes> answer = client.estimates("team", "nightly");
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(SOON);
        return answer;
    }

    private String whyAway() {
        assertThat(ask()).isInstanceOf(Answer.Away.class);
        nanos.addAndGet(RecordClient.REST.toNanos() + 1);
        return ((Answer.Away<TestTimes>) client.estimates("team", "nightly")).why();
    }

    @Test
    void knowsTheTimesOfAClass() {
        history.answer(ESTIMATES, exchange -> {
            exchange.getResponseHeaders().set("Quiver-Usual-Error", "0.25");
            AnsweringHistory.send(exchange, 200, AnsweringHistory.estimates(Map.of("a", 10, "b", 4000)));
        });
        TestTimes estimates = ((Answer.Known<TestTimes>) ask()).value();
        assertThat(estimates.tests()).isEqualTo(2);
        assertThat(estimates.millis(TestNames.hash("b"))).isEqualTo(4000);
        assertThat(estimates.millis(TestNames.hash("c"))).isZero();
        assertThat(estimates.usualError()).contains(0.25);
        assertThat(history.asked()).containsExactly("Bearer the-token " + ESTIMATES);
    }

    @Test
    void aClassThatNobodyKnowsIsNoFailure() {
        assertThat(ask()).isInstanceOf(Answer.Nothing.class);
    }

    @Test
    void anAnswerThatMakesNoSenseIsNone() {
        byte[] two = AnsweringHistory.estimates(Map.of("a", 10, "b", 4000));
        history.answer(ESTIMATES, 200, Arrays.copyOf(two, 23));
        assertThat(whyAway()).contains("23 bytes");
        byte[] turned = new byte[24];
        System.arraycopy(two, 12, turned, 0, 12);
        System.arraycopy(two, 0, turned, 12, 12);
        history.answer(ESTIMATES, 200, turned);
        assertThat(whyAway()).contains("not behind the one before it");
        byte[] twice = Arrays.copyOf(two, 24);
        System.arraycopy(two, 0, twice, 12, 12);
        history.answer(ESTIMATES, 200, twice);
        assertThat(whyAway()).contains("not behind the one before it");
        history.answer(ESTIMATES, 200, new byte[TestTimes.MOST_BYTES + 12]);
        assertThat(whyAway()).isNotEmpty();
        for (int code : new int[] {204, 400, 401, 403, 429, 500, 503}) {
            history.answer(ESTIMATES, code, new byte[0]);
            assertThat(whyAway()).contains("" + code);
        }
        history.answer(ESTIMATES, exchange -> {
            exchange.getResponseHeaders().set("Location", "https://127.0.0.1:1/elsewhere");
            AnsweringHistory.send(exchange, 302, new byte[0]);
        });
        assertThat(whyAway()).as("the token goes nowhere else").contains("302");
        history.answer(ESTIMATES, exchange -> {
            exchange.getResponseHeaders().set("Quiver-Usual-Error", "much");
            AnsweringHistory.send(exchange, 200, two);
        });
        assertThat(whyAway()).contains("much");
    }

    @Test
    void oneThatIsSlowIsLeftAloneForAWhile() {
        CountDownLatch closed = new CountDownLatch(1);
        history.answer(ESTIMATES, exchange -> {
            exchange.sendResponseHeaders(200, 1200);
            try {
                while (!closed.await(100, java.util.concurrent.TimeUnit.MILLISECONDS)) {
                    exchange.getResponseBody().write(0);
                    exchange.getResponseBody().flush();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        assertThat(ask()).isInstanceOf(Answer.Away.class);
        int before = history.asked().size();
        Answer<TestTimes> next = client.estimates("team", "nightly");
        assertThat(((Answer.Away<TestTimes>) next).why()).contains("a moment ago");
        assertThat(history.asked()).as("nobody asked it").hasSize(before);
        closed.countDown();
        history.answer(ESTIMATES, 200, AnsweringHistory.estimates(Map.of("a", 10)));
        assertThat(ask()).as("once it rested").isInstanceOf(Answer.Known.class);
    }

    @Test
    void oneThatIsAwayOrAStrangerIsNotTold() throws Exception {
        AnsweringHistory other = history;
        other.close();
        assertThat(ask()).isInstanceOf(Answer.Away.class);
        Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        try (AnsweringHistory stranger = AnsweringHistory.listen(elsewhere)) {
            client = new RecordClient(
                    Optional.of(new RecordSettings(
                            stranger.address(), Optional.of(folder.resolve("ca.crt")), folder.resolve("token"))),
                    nanos::get);
            assertThat(ask()).isInstanceOf(Answer.Away.class);
            assertThat(stranger.asked()).as("its certificate is another one").isEmpty();
        }
        client = new RecordClient(Optional.empty());
        assertThat(client.isThere()).isFalse();
        assertThat(ask()).isInstanceOf(Answer.Away.class);
    }

    private void run(String document) {
        history.answer(RUNS, 200, document.getBytes(StandardCharsets.UTF_8));
    }

    private Answer<RecordClient.EndedRun> latest() {
        nanos.addAndGet(RecordClient.REST.toNanos() + 1);
        return client.latestRun("team", RunKind.TASK_SET, "specs");
    }

    @Test
    void knowsWhichTasksOfARunDidNotPass() {
        run("{\"items\": [{\"uid\": \"u1\", \"name\": \"specs\", \"status\": \"failed\", \"tasks\": 10,"
                + " \"sourceHash\": \"h\"}]}");
        history.answer(BITS, 200, new byte[] {5, 2});
        RecordClient.EndedRun run = ((Answer.Known<RecordClient.EndedRun>) latest()).value();
        assertThat(run.sourceHash()).isEqualTo("h");
        assertThat(run.unpassed().stream()).containsExactly(0, 2, 9);
        history.answer(BITS, 200, new byte[] {5});
        assertThat(latest()).as("bits for eight tasks").isInstanceOf(Answer.Away.class);
        history.answer(BITS, 200, new byte[] {5, (byte) 0x82});
        assertThat(latest()).as("a bit for a task that is none").isInstanceOf(Answer.Away.class);
        history.answer(BITS, 409, new byte[0]);
        assertThat(latest()).isInstanceOf(Answer.Away.class);
    }

    @Test
    void aRunThatGoesOnOrIsAnotherOneIsNotKnown() {
        run("{\"items\": []}");
        assertThat(latest()).isInstanceOf(Answer.Nothing.class);
        run("{\"items\": [{\"uid\": \"u1\", \"name\": \"specs\", \"tasks\": 10, \"sourceHash\": \"h\"}]}");
        assertThat(latest()).isInstanceOf(Answer.Away.class);
        run("{\"items\": [{\"uid\": \"u1\", \"name\": \"other\", \"status\": \"failed\", \"tasks\": 10}]}");
        assertThat(latest()).isInstanceOf(Answer.Away.class);
        run("{\"items\": [{\"uid\": \"u1\", \"name\": \"specs\", \"status\": \"failed\","
                + " \"tasks\": 99999999999, \"sourceHash\": \"h\"}]}");
        assertThat(latest()).isInstanceOf(Answer.Away.class);
        run("no json");
        assertThat(latest()).isInstanceOf(Answer.Away.class);
    }
}
