package dev.quiver.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.slots.Assignment;
import dev.quiver.slots.Geometry;
import dev.quiver.slots.HandlerCall;
import dev.quiver.slots.Payload;
import dev.quiver.slots.Reason;
import dev.quiver.slots.SlotResult;
import dev.quiver.slots.TaskStream;

/** Python handlers under the real agent, the board on the other side; needs no more of Python than its own library. */
class PythonHandlerIT {
    private static final String TASKS = """
            import ctypes, os, signal, subprocess, sys, time
            import quiver

            kept = []

            @quiver.handler("echo")
            def echo(value):
                return value

            @quiver.handler("pid")
            def pid(_):
                return os.getpid()

            @quiver.handler("raise")
            def fail(text):
                raise ValueError(text)

            @quiver.handler("fifth")
            def fifth(number):
                if number == 5:
                    raise ValueError("not five")
                return number * 2

            @quiver.handler("together", batch=True)
            def together(numbers):
                if 0 in numbers:
                    raise ValueError("a zero among " + str(len(numbers)))
                return [quiver.DoNotRetry("not five") if n == 5 else n * 10 + len(numbers) for n in numbers]

            @quiver.handler("sum")
            def total(a, b=10, *, task):
                return [a + b, task.name]

            @quiver.iterator("rows")
            def rows(count, it):
                for i in range(it.state or 0, count):
                    it.state = i + 1
                    yield quiver.call("row", i)

            @quiver.iterator("lines")
            def lines(count, it):
                for i in range(it.state or 0, count):
                    it.state = i + 1
                    yield i

            @quiver.handler("keep")
            def keep(data):
                kept.append(data[1:])

            @quiver.handler("die")
            def die(_):
                os.kill(os.getpid(), signal.SIGKILL)

            @quiver.handler("print")
            def say(value):
                print("heard", value, end="")
                subprocess.run(["echo", " and a child"])
                sys.stderr.write("warned")
                if value == 0:
                    raise ValueError("zero")
                return value

            @quiver.handler("spin")
            def spin(_):
                print("spinning", flush=True)
                while True:
                    pass

            @quiver.handler("held")
            def held(_):
                print("held now", flush=True)
                ctypes.PyDLL(None).sleep(1000)

            @quiver.handler("deaf")
            def deaf(_):
                print("deaf now", flush=True)
                while True:
                    try:
                        while True:
                            pass
                    except BaseException:
                        pass
            """;

    @TempDir
    static Path folder;

    private static HandlerPod pod;

    @BeforeAll
    static void start() throws IOException {
        Files.writeString(folder.resolve("tasks.py"), TASKS);
        Path sources = Path.of("../python/src").toAbsolutePath().normalize();
        pod = HandlerPod.start(
                new Geometry(1, 1 << 20, 1 << 20),
                List.of("python3", "-m", "quiver", "tasks"),
                Map.of("PYTHONPATH", folder + ":" + sources, "PYTHONDONTWRITEBYTECODE", "1"));
    }

    @AfterAll
    static void stop() {
        pod.close();
    }

    @Test
    void givesJsonAndTakesItBack() {
        assertThat(pod.names())
                .containsExactly(
                        "echo",
                        "pid",
                        "raise",
                        "fifth",
                        "together",
                        "sum",
                        "rows",
                        "lines",
                        "keep",
                        "die",
                        "print",
                        "spin",
                        "held",
                        "deaf");
        assertThat(pod.text("echo", Payload.json("{\"a\": [1, \"grün\"]}"))).isEqualTo("{\"a\":[1,\"grün\"]}");
    }

    @Test
    void allThatAFunctionPrintsIsKeptThoughItFlushesNothing() {
        for (String number : new String[] {"1", "2"}) {
            SlotResult result = pod.printing("print", Payload.json(number));
            assertThat(pod.all(result, TaskStream.STDOUT))
                    .contains("heard " + number)
                    .contains(" and a child\n");
            assertThat(pod.all(result, TaskStream.STDERR)).isEqualTo("warned");
            pod.acknowledge(result);
        }
        SlotResult failed = pod.printing("print", Payload.json("0"));
        assertThat(pod.all(failed, TaskStream.STDOUT)).contains("heard 0");
        assertThat(pod.all(failed, TaskStream.STDERR))
                .startsWith("warnedTraceback (most recent call last):\n")
                .endsWith("ValueError: zero\n");
        pod.acknowledge(failed);
    }

    @Test
    void callsAFunctionWithItsArguments() {
        assertThat(pod.text("sum", Payload.arguments("[1, 2]"))).isEqualTo("[3,\"it/task\"]");
        assertThat(pod.text("sum", Payload.arguments("[1]"))).isEqualTo(pod.text("sum", Payload.json("1")));
        SlotResult result = pod.run("sum", Payload.arguments("[1, 2, 3]"));
        assertThat(result.reason()).isEqualTo(Reason.INPUT_INVALID);
        assertThat(result.message())
                .isEqualTo(
                        "3 arguments for handler 'sum', which takes (a, b=10, *, task): too many positional arguments");
        pod.acknowledge(result);
    }

    @Test
    void asksAnIteratorForAsManyTasksAsThereIsRoomFor() {
        String facts = "\"created\":0,\"finished\":0,\"room\":2,\"args\":[3]}]";
        assertThat(pod.text("rows", Payload.arguments("[{\"state\":null," + facts)))
                .isEqualTo("{\"state\":2,\"tasks\":[{\"handler\":\"row\",\"args\":[0]},"
                        + "{\"handler\":\"row\",\"args\":[1]}]}");
        assertThat(pod.text("rows", Payload.arguments("[{\"state\":2," + facts)))
                .isEqualTo("{\"state\":{\"$end\":null},\"tasks\":[{\"handler\":\"row\",\"args\":[2]}]}");
        assertThat(pod.text("rows", Payload.arguments("[{\"state\":{\"$end\":null}," + facts)))
                .isEqualTo("null");
    }

    @Test
    void asksForPagesOfChunks() {
        String facts = "\"makes\":\"chunks\",\"created\":0,\"finished\":0,\"room\":2,\"args\":[3]}]";
        assertThat(pod.text("lines", Payload.arguments("[{\"state\":null," + facts)))
                .isEqualTo("{\"state\":2,\"chunks\":[0,1]}");
        assertThat(pod.text("lines", Payload.arguments("[{\"state\":2," + facts)))
                .isEqualTo("{\"state\":{\"$end\":null},\"chunks\":[2]}");
    }

    @Test
    void anExceptionArrivesWithItsTraceback() {
        SlotResult result = pod.run("raise", Payload.json("\"words\""));
        assertThat(result.reason()).isEqualTo(Reason.EXCEPTION);
        assertThat(result.message()).isEqualTo("ValueError: words");
        assertThat(pod.stderr(result)).contains("in fail").endsWith("ValueError: words\n");
        pod.acknowledge(result);
    }

    @Test
    void runsTheTasksOfADispatchOneAfterTheOtherUpToTheOneThatFails() {
        HandlerPod.Together end = pod.together("fifth", "3", "4", "5", "6");
        assertThat(end.outcomes()).containsExactly("6", "8");
        assertThat(end.result().message()).isEqualTo("ValueError: not five");
        assertThat(pod.together("fifth", "6", "7").outcomes()).containsExactly("12", "14");
    }

    @Test
    void aFunctionThatTakesAllOfThemSaysHowEachEnded() {
        HandlerPod.Together end = pod.together("together", "3", "5", "6");
        assertThat(end.outcomes()).containsExactly("33", "DoNotRetry: DoNotRetry: not five", "63");
        assertThat(end.result().passed()).isTrue();
    }

    @Test
    void aCallOfAllOfThemThatRaisesIsAboutNoneInParticular() {
        HandlerPod.Together end = pod.together("together", "3", "0", "6");
        assertThat(end.outcomes()).isEmpty();
        assertThat(end.whole()).isTrue();
        assertThat(end.result().message()).isEqualTo("ValueError: a zero among 3");
        assertThat(pod.text("together", Payload.json("3"))).isEqualTo("31");
    }

    @Test
    void aProcessWhoseTaskKeptMemoryIsReplacedAndItsResultCounts() {
        String before = pid();
        pod.done("keep", Payload.bytes(new byte[100_000]));
        assertThat(pid()).isNotEqualTo(before);
        pod.awaitPrinted(printed -> printed.contains("kept memory of its input"));
    }

    @Test
    void aProcessThatDiesIsAFailureOfItsTaskAndIsReplaced() {
        SlotResult result = pod.run("die", Payload.json("1"));
        assertThat(result.reason()).isEqualTo(Reason.HANDLER_DIED);
        assertThat(result.signal()).isEqualTo(9);
        pod.acknowledge(result);
        assertThat(pid()).isNotEmpty();
    }

    @Test
    void aCancelStopsALoopThatNeverChecks() {
        assertThat(pod.fastestCancel("spin", "spinning")).isLessThan(HandlerPod.QUICK);
        assertThat(pid()).isNotEmpty();
    }

    /** "held" is a C extension that never returns and keeps the interpreter's lock: not even the watch thread runs. */
    @ParameterizedTest
    @ValueSource(strings = {"deaf", "held"})
    void aCancelStopsWhoeverDoesNotListen(String handler) {
        String before = pid();
        assertThat(pod.fastestCancel(handler, handler + " now")).isLessThan(HandlerPod.QUICK);
        assertThat(pid()).isNotEqualTo(before);
    }

    @Test
    void theTimeLimitStopsALoopThatNeverChecks() {
        SlotResult result =
                pod.run(Assignment.of("it/limit", HandlerCall.of("spin")).within(Duration.ofMillis(300)));
        assertThat(result.reason()).isEqualTo(Reason.TIMED_OUT);
        pod.acknowledge(result);
        SlotResult next = pod.run("die", Payload.json("1")); // the runner has not looked since
        assertThat(next.reason()).isEqualTo(Reason.HANDLER_DIED);
        pod.acknowledge(next);
    }

    private static String pid() {
        return pod.text("pid", Payload.json("1"));
    }
}
