package dev.quiver.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.slots.Assignment;
import dev.quiver.slots.DataFormat;
import dev.quiver.slots.Geometry;
import dev.quiver.slots.HandlerCall;
import dev.quiver.slots.Payload;
import dev.quiver.slots.Progress;
import dev.quiver.slots.Reason;
import dev.quiver.slots.SlotResult;
import dev.quiver.slots.TaskStream;

/** Java handlers under the real agent, the board on the other side. No Arrow on their class path. */
class JavaHandlerIT {
    private static HandlerPod pod;

    @BeforeAll
    static void start() {
        pod = HandlerPod.start(
                new Geometry(1, 1 << 20, 1 << 20), HandlerPod.java(PlainHandlers.class, false), Map.of());
    }

    @AfterAll
    static void stop() {
        pod.close();
    }

    @Test
    void runsTheTasksOfADispatchOneAfterTheOther() {
        assertThat(pod.together("echo", "1", "22", "333").outcomes()).containsExactly("1", "22", "333");
    }

    @Test
    void aFunctionThatTakesAllOfThemSaysHowEachEnded() {
        HandlerPod.Together end = pod.together("together", "1", "retry", "3");
        assertThat(end.outcomes()).containsExactly("1 -/3", "Exception: RetryAfterException: später", "3 -/3");
        assertThat(end.result().passed()).isTrue();
    }

    @Test
    void anOutputThatCannotBeClosedIsNoFaultOfTheNextTask() {
        assertThat(pod.together("together", "unclosable", "2", "3").outcomes())
                .containsExactly("written", "2 -/3", "3 -/3");
    }

    @Test
    void aCallOfAllOfThemThatThrowsIsAboutNoneInParticular() {
        HandlerPod.Together end = pod.together("together", "1", "all");
        assertThat(end.outcomes()).isEmpty();
        assertThat(end.whole()).isTrue();
        assertThat(end.result().message()).contains("all 2");
    }

    @Test
    void aWrongNumberOfResultsIsAnErrorWithBothNumbers() {
        HandlerPod.Together end = pod.together("wrong", "1", "2");
        assertThat(end.whole()).isTrue();
        assertThat(end.result().message()).contains("0", "2");
    }

    @Test
    void allThatAFunctionPrintsIsKeptThoughItFlushesNothing() {
        for (String number : new String[] {"1", "2"}) {
            SlotResult result = pod.printing("print", Payload.json(number));
            assertThat(pod.all(result, TaskStream.STDOUT)).isEqualTo("heard " + number);
            assertThat(pod.all(result, TaskStream.STDERR)).isEqualTo("warned");
            pod.acknowledge(result);
        }
        SlotResult failed = pod.printing("print", Payload.json("0"));
        assertThat(pod.all(failed, TaskStream.STDOUT)).isEqualTo("heard 0");
        assertThat(pod.all(failed, TaskStream.STDERR)).startsWith("warnedjava.lang.IllegalStateException: zero\n\tat ");
        pod.acknowledge(failed);
    }

    @Test
    void announcesWhatItServes() {
        assertThat(pod.names())
                .containsExactlyInAnyOrderElementsOf(
                        Beside.served(PlainHandlers.all()).keySet())
                .contains("save", "save#plan");
    }

    @Test
    void aFunctionEndsWithTasks() {
        SlotResult result = pod.run("save", Payload.json("2"));
        assertThat(result.output().format()).isEqualTo(DataFormat.EFFECTS);
        assertThat(pod.output(result))
                .asString()
                .isEqualTo("{\"result\":2,\"tasks\":[{\"handler\":\"sync\"},{\"handler\":\"sync\"}]}");
        pod.acknowledge(result);
        SlotResult many = pod.run("save", Payload.json("65"));
        assertThat(many.reason()).isEqualTo(Reason.DO_NOT_RETRY);
        assertThat(many.message()).isEqualTo("DoNotRetryException: Done: tasks has 65 elements, at most 64 are taken");
        pod.acknowledge(many);
        assertThat(pod.together("together", "1", "done", "3").outcomes())
                .containsExactly("1 -/3", "{\"result\":1}", "3 -/3");
    }

    @ParameterizedTest
    @CsvSource({"0, {}", "1, '{\"tags\":[\"save#plan\"]}'", "2, '{\"done\":true}'"})
    void aPlanAnswersWithEffectsAlways(String input, String text) {
        SlotResult result = pod.run("save#plan", Payload.json(input));
        assertThat(result.output().format()).isEqualTo(DataFormat.EFFECTS);
        assertThat(pod.output(result)).asString().isEqualTo(text);
        pod.acknowledge(result);
    }

    @Test
    void aPlanFailsAsAFunctionDoes() {
        SlotResult result = pod.run("save#plan", Payload.json("3"));
        assertThat(result.reason()).isEqualTo(Reason.BLOCKED);
        assertThat(result.message()).isEqualTo("online");
        pod.acknowledge(result);
    }

    private static final String FIRST = "{\"key\":\"k\",\"state\":{},\"markers\":{}}";
    private static final String MARKER = "{\"key\":\"k\",\"marker\":\"m\",\"state\":{\"n\":3}}";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "tally#plan | [2," + FIRST + "] | {\"done\":true,\"result\":1,\"undo\":[{\"handler\":\"undo\"}],"
                        + "\"state\":[{\"set\":\"n\",\"value\":3,\"expect\":null}],\"markers\":{\"m\":{\"count\":2}}}",
                "tally | [" + MARKER + "] | {\"result\":3,\"state\":[{\"add\":\"n\",\"value\":-1}]}",
                "tally#contingency | [" + MARKER + "] | {\"redo\":true}",
                "tally#contingency | [1," + MARKER + "] | {\"done\":true,\"result\":0,\"state\":[{\"delete\":\"n\"}]}",
            })
    void aComplexTaskAnswersWithWhatItChanges(String handler, String arguments, String text) {
        SlotResult result = pod.run(handler, Payload.arguments(arguments));
        assertThat(result.passed()).as(result + pod.stderr(result)).isTrue();
        assertThat(result.output().format()).isEqualTo(DataFormat.EFFECTS);
        assertThat(pod.output(result)).asString().isEqualTo(text);
        pod.acknowledge(result);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "tally#plan | [65," + FIRST
                        + "] | EXCEPTION | markers: m: count is 65, a whole number from 1 to 64 is needed",
                "tally#plan | [2] | INPUT_INVALID | tally#plan is of a complex task: a call of it needs complexKey",
                "tally | [{\"key\":\"k\",\"marker\":\"u\",\"state\":{}}] | EXCEPTION | Done: undo is of a plan",
            })
    void aComplexTaskIsToldWhatCannotBe(String handler, String arguments, Reason reason, String words) {
        SlotResult result = pod.run(handler, Payload.arguments(arguments));
        assertThat(result.reason()).isEqualTo(reason);
        assertThat(result.message()).contains(words);
        pod.acknowledge(result);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 4097, 200_000, 200_001})
    void givesBytesAndTakesThemBack(int length) {
        byte[] bytes = new byte[length];
        new java.util.Random(length).nextBytes(bytes);
        assertThat(pod.done("echo", Payload.bytes(bytes))).isEqualTo(bytes);
    }

    @Test
    void givesJsonAsTextAndTakesItBack() {
        SlotResult result = pod.run("echo", Payload.json("{\"a\":\"grün\"}"));
        assertThat(result.output().format()).isEqualTo(DataFormat.JSON);
        assertThat(pod.output(result)).asString().isEqualTo("{\"a\":\"grün\"}");
        pod.acknowledge(result);
    }

    @Test
    void givesTheArgumentsOfACall() {
        assertThat(pod.text("echo", Payload.arguments("[1, {\"a\": [2]}, \"grün\"]")))
                .isEqualTo("[1, {\"a\": [2]}, \"grün\"]");
        SlotResult broken = pod.run("echo", Payload.arguments("{}"));
        assertThat(broken.reason()).isEqualTo(Reason.INPUT_INVALID);
        pod.acknowledge(broken);
    }

    @Test
    void anIteratorIsAskedAgainAndAgain() {
        assertThat(rows("null", 0, 0, 2))
                .isEqualTo("{\"state\":2,\"tasks\":[{\"handler\":\"square\",\"args\":[0]},"
                        + "{\"handler\":\"square\",\"args\":[1]}]}");
        assertThat(rows("2", 2, 0, 9)).isEqualTo("{\"state\":3,\"tasks\":[{\"handler\":\"square\",\"args\":[2]}]}");
        assertThat(rows("3", 3, 2, 9)).isEqualTo("{}");
        assertThat(rows("3", 3, 3, 9)).isEqualTo("null");
        SlotResult input = pod.run("rows", Payload.json("3"));
        assertThat(input.reason()).isEqualTo(Reason.INPUT_INVALID);
        assertThat(input.message()).isEqualTo("the handler is an iterator: only the iterator of a Task calls it");
        pod.acknowledge(input);
        SlotResult failed = pod.run("rows", call("null", 0, 0, 1, "-1"));
        assertThat(failed.message()).isEqualTo("IllegalArgumentException: below zero");
        assertThat(pod.stderr(failed)).contains("PlainHandlers.rows(").doesNotContain("sdk.IteratorHandler");
        pod.acknowledge(failed);
    }

    private static String rows(String state, int created, int finished, int room) {
        return pod.text("rows", call(state, created, finished, room, "3"));
    }

    private static Payload call(String state, int created, int finished, int room, String argument) {
        return Payload.arguments("[{\"state\":" + state + ",\"created\":" + created + ",\"finished\":" + finished
                + ",\"room\":" + room + ",\"args\":[" + argument + "]}]");
    }

    @Test
    void anOutputIsNeverArguments() {
        SlotResult alone = pod.run("output", Payload.none());
        assertThat(alone.message()).isEqualTo("IllegalStateException: output: ARGUMENTS is a format of inputs alone");
        pod.acknowledge(alone);
        assertThat(pod.together("together", "1", "arguments", "3").outcomes())
                .containsExactly(
                        "1 -/3",
                        "Exception: IllegalStateException: output: ARGUMENTS is a format of inputs alone",
                        "3 -/3");
    }

    private static final String TOKENS = "{\"a\\\"=b\":7,\"tenant!acme\":900000000000001}";

    @Test
    void tellsAFunctionOfItsTaskInAProcessThatStays() {
        Assignment assignment = new Assignment(
                "it/1",
                "set/größe-1",
                new HandlerCall("about", Map.of("QUIVER_INDEX", "1", "QUIVER_TOKENS", TOKENS)),
                Payload.none(),
                2,
                5,
                Optional.empty());
        SlotResult first = pod.run(assignment);
        String said = new String(pod.output(first), java.nio.charset.StandardCharsets.UTF_8);
        pod.acknowledge(first);
        assertThat(said)
                .startsWith("set/größe-1 about 2/5 {QUIVER_INDEX=1, QUIVER_TOKENS=" + TOKENS
                        + "} no limit tokens {a\"=b=7, tenant!acme=900000000000001} 256 bytes ");
        SlotResult second = pod.run(assignment);
        assertThat(pod.output(second)).asString().isEqualTo(said);
        pod.acknowledge(second);
    }

    @Test
    void anExceptionArrivesWithTypeMessageAndTrace() {
        SlotResult result = pod.run("raise", Payload.json("any"));
        assertThat(result.reason()).isEqualTo(Reason.EXCEPTION);
        assertThat(result.message()).isEqualTo("IllegalArgumentException: grün");
        assertThat(pod.stderr(result))
                .contains("at dev.quiver.sdk.PlainHandlers.raise(")
                .doesNotContain("sdk.Work.")
                .containsPattern("IllegalArgumentException: grün \\(dev.quiver.sdk.PlainHandlers.raise\\(.*\\)\\)\n$");
        pod.acknowledge(result);
    }

    @ParameterizedTest
    @CsvSource({
        "retry, EXCEPTION, RetryAfterException: später, 1500",
        "blocked, BLOCKED, tenant!acme, 1500",
        "never, DO_NOT_RETRY, DoNotRetryException: nie, 0",
        "input, INPUT_INVALID, nicht so, 0",
        "stack, EXCEPTION, StackOverflowError: null, 0"
    })
    void theTypeOfAnExceptionIsTheReason(String kind, Reason reason, String message, long after) {
        SlotResult result = pod.run("raise", Payload.json(kind));
        assertThat(result.reason()).isEqualTo(reason);
        assertThat(result.message()).isEqualTo(message);
        assertThat(result.retryAfter().map(Duration::toMillis).orElse(0L)).isEqualTo(after);
        pod.acknowledge(result);
    }

    @Test
    void aNameThatNobodyServesIsAnsweredWithThoseThatAre() {
        SlotResult result = pod.run("nobody", Payload.none());
        assertThat(result.reason()).isEqualTo(Reason.HANDLER_NOT_FOUND);
        assertThat(result.message()).startsWith("no handler 'nobody' here; served are: about, echo");
        pod.acknowledge(result);
    }

    @Test
    void anOutputThatDoesNotFitFailsWithBothSizes() {
        SlotResult result = pod.run("large", Payload.none());
        assertThat(result.reason()).isEqualTo(Reason.OUTPUT_TOO_LARGE);
        assertThat(result.message()).contains("2000000 bytes", "1048576");
        pod.acknowledge(result);
    }

    @Test
    void progressIsTold() {
        SlotResult result = pod.run("progress", Payload.none());
        assertThat(result.progress()).isEqualTo(new Progress(3, 10));
        assertThat(pod.output(result)).asString().isEqualTo("true false");
        pod.acknowledge(result);
    }

    @Test
    void whatATaskLogsCarriesItsName() {
        Predicate<String> named = printed -> printed.lines().anyMatch(line -> line.matches("\\[it/task] .*\\bat 3"));
        // What the agent reads half a second after the end, which takes a very busy machine, has no task's name any
        // more.
        for (int i = 0; i < HandlerPod.TRIES && !named.test(pod.printed()); i++) {
            pod.done("progress", Payload.none());
        }
        pod.awaitPrinted(named);
    }

    @Test
    void aTaskRunsForAsLongAsItAsksForWithinItsLimit() {
        Duration limit = Duration.ofSeconds(1);
        SlotResult result = runBeyond(limit);
        if (!result.passed()) { // a machine so slow that it could not ask, or not be granted it, within a second
            pod.acknowledge(result);
            limit = Duration.ofSeconds(20);
            result = runBeyond(limit);
        }
        assertThat(result.passed()).as(result.toString()).isTrue();
        assertThat(result.ran()).isGreaterThan(limit.multipliedBy(12).dividedBy(5));
        assertThat(Duration.parse(new String(pod.output(result), java.nio.charset.StandardCharsets.UTF_8)))
                .isBetween(Duration.ofMillis(1), limit);
        pod.acknowledge(result);
    }

    /** A function that works for two and a half times its limit. */
    private static SlotResult runBeyond(Duration limit) {
        return pod.run(Assignment.of("it/longer", HandlerCall.of("extend"))
                .with(Payload.json(limit.multipliedBy(5).dividedBy(2).toString()))
                .within(limit));
    }

    @Test
    void aLoopThatAsksSeesTheCancelAndTheProcessStays() {
        boolean stayed = false;
        for (int i = 0; i < HandlerPod.TRIES && !stayed; i++) {
            String before = pid();
            Duration took = pod.cancelOnceItRuns("poll", "polling false");
            stayed = took.compareTo(HandlerPod.QUICK) < 0 && pid().equals(before);
        }
        assertThat(stayed).as("within " + HandlerPod.QUICK).isTrue();
        pod.awaitPrinted(printed -> printed.contains("polled true"));
    }

    @Test
    void aFunctionOfManyTasksGetsOneAlone() {
        assertThat(pod.text("together", Payload.json("a"))).isEqualTo("a -/1");
        assertThat(pod.done("together", Payload.json("none"))).isEmpty();
        SlotResult alone = pod.run("together", Payload.json("retry"));
        assertThat(alone.message()).isEqualTo("RetryAfterException: später");
        assertThat(alone.retryAfter()).contains(Duration.ofMillis(1500));
        pod.acknowledge(alone);
        SlotResult wrong = pod.run("wrong", Payload.json("a"));
        assertThat(wrong.message()).isEqualTo("IllegalStateException: the handler returned 0 results for 1 tasks");
        pod.acknowledge(wrong);
    }

    @Test
    void locatorsGoBothWays() {
        SlotResult result = pod.run("locator", Payload.locator("file:///data/x", DataFormat.ARROW));
        assertThat(result.output().locator()).isTrue();
        assertThat(result.output().format()).isEqualTo(DataFormat.ARROW);
        assertThat(pod.output(result)).asString().isEqualTo("/data/x.out");
        pod.acknowledge(result);
        SlotResult data = pod.run("locator", Payload.json("1"));
        assertThat(data.reason()).isEqualTo(Reason.INPUT_INVALID);
        pod.acknowledge(data);
    }

    @Test
    void aSegmentThatIsKeptIsClosedNotTheNextTasksInput() {
        pod.done("keep", Payload.bytes(new byte[] {1}));
        assertThat(pod.text("keep", Payload.bytes(new byte[] {2}))).isEqualTo("closed");
    }

    @Test
    void aProcessWhoseTaskKeptMemoryIsReplacedAndItsResultCounts() {
        String before = pid();
        pod.done("hold", Payload.none());
        assertThat(pid()).isNotEqualTo(before);
        pod.awaitPrinted(printed -> printed.contains("a buffer is still held"));
    }

    @Test
    void aCancelInterruptsWhoeverWaits() {
        assertThat(pod.fastestCancel("wait", "waiting")).isLessThan(HandlerPod.QUICK);
        assertThat(pod.done("echo", Payload.bytes(new byte[7]))).hasSize(7);
    }

    @Test
    void aCancelStopsALoopThatNeverChecks() {
        String before = pid();
        assertThat(pod.fastestCancel("spin", "spinning")).isLessThan(HandlerPod.QUICK);
        assertThat(pid()).isNotEqualTo(before);
    }

    private static String pid() {
        String said = pod.text("about", Payload.none());
        return said.substring(said.lastIndexOf(' ') + 1);
    }
}
