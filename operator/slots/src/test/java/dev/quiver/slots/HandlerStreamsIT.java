package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.slots.rig.AgentPod;
import dev.quiver.slots.rig.AgentProcess;
import dev.quiver.slots.rig.Signals;

/** All that a handler's process prints for one task, kept by the real agent. */
@Execution(ExecutionMode.CONCURRENT)
class HandlerStreamsIT {
    private static final int KIB = 64;

    private AgentPod pod;

    @AfterEach
    void stop() {
        pod.close();
    }

    private void start(String mode) {
        pod = AgentPod.serving(
                new Geometry(1, 64 * 1024, 64 * 1024),
                Map.of("QUIVER_DRAIN_SECONDS", "60"),
                AgentProcess.TEST_HANDLER,
                mode);
    }

    private static Assignment call(String handler, String input, int kib) {
        return Assignment.of("it/" + handler, HandlerCall.of(handler).keepingStreams(kib))
                .with(Payload.bytes(input.getBytes(StandardCharsets.UTF_8)));
    }

    private SlotResult run(String handler, String input) {
        return pod.run(call(handler, input, KIB));
    }

    private Optional<String> all(SlotResult result, TaskStream stream) {
        try (WholeStream whole = pod.board().whole(result, stream, KIB).orElse(null)) {
            return whole == null
                    ? Optional.empty()
                    : whole.read(0, (int) whole.bytes()).map(bytes -> new String(bytes, StandardCharsets.UTF_8));
        }
    }

    private Path file(String ending) {
        return pod.root().resolve("whole/task-0." + ending);
    }

    private void awaitNoFile() {
        await().until(() -> !Files.exists(file("stdout")) && !Files.exists(file("stderr")));
    }

    /** The cancel of a handler with a watch thread, and of one that hears the runner by itself. */
    @ParameterizedTest
    @ValueSource(strings = {"watched", "alone"})
    void eachTaskHasItsOwnOutputWhateverTheProcessPrintedBefore(String mode) {
        start(mode);
        for (int round = 0; round < 50; round++) {
            SlotResult other = pod.run(call("shout", "7", 0));
            assertThat(all(other, TaskStream.STDOUT)).as("nobody asked").isEmpty();
            pod.acknowledge(other);
            SlotResult result = run("shout", "3");
            assertThat(all(result, TaskStream.STDOUT)).contains("1\n2\n3\n");
            assertThat(all(result, TaskStream.STDERR)).contains("shouted 3\n");
            assertThat(pod.stdout(result)).as("its end").isEqualTo("1\n2\n3\n");
            pod.acknowledge(result);
        }
        awaitNoFile();
    }

    @Test
    void keepsTheBeginningAndTheEndOfMoreThanTheBound() {
        start("watched");
        SlotResult result = run("shout", "200000");
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (int line = 1; line <= 200_000; line++) {
            lines.writeBytes((line + "\n").getBytes(StandardCharsets.US_ASCII));
        }
        byte[] all = lines.toByteArray();
        int limit = KIB * 1024;
        ByteArrayOutputStream wanted = new ByteArrayOutputStream();
        wanted.write(all, 0, limit / 2);
        wanted.writeBytes(WholeStream.mark(all.length, limit));
        wanted.write(all, all.length - limit / 2, limit / 2);
        assertThat(all(result, TaskStream.STDOUT)).contains(wanted.toString(StandardCharsets.US_ASCII));
        assertThat(result.stdoutBytes()).isEqualTo(all.length);
    }

    @Test
    void aFailureHasItsTracebackBehindWhatItPrinted() {
        start("watched");
        SlotResult result = run("complain", "");
        assertThat(result.reason()).isEqualTo(Reason.EXCEPTION);
        assertThat(all(result, TaskStream.STDOUT)).contains("so far");
        assertThat(all(result, TaskStream.STDERR)).contains("warned\nTraceback\nValueError: no\n");
        assertThat(pod.stderr(result)).isEqualTo("warned\nTraceback\nValueError: no\n");
    }

    @Test
    void aSilentTaskHasNoFile() {
        start("watched");
        SlotResult result = run("pid", "");
        assertThat(all(result, TaskStream.STDOUT)).isEmpty();
        assertThat(file("stdout")).doesNotExist();
    }

    @Test
    void whatItPrintedIsThereWhenItsProcessDies() {
        start("watched");
        SlotResult result = run("die", "3");
        assertThat(result.reason()).isEqualTo(Reason.HANDLER_DIED);
        assertThat(all(result, TaskStream.STDERR)).contains("my last words\n");
        // Its successor comes up before the result is acknowledged, and leaves the file to its reader.
        await().until(() -> pod.agent().stderr().contains("ended with exit code 3"));
        assertThat(all(result, TaskStream.STDERR)).contains("my last words\n");
        pod.acknowledge(result);
        awaitNoFile();
        assertThat(all(run("shout", "1"), TaskStream.STDOUT)).contains("1\n");
    }

    @Test
    void whatItPrintedIsThereWhenItIsKilledAtItsDeadline() {
        start("watched");
        SlotResult result = pod.run(
                call("tell", "/no/such/file", KIB).within(Duration.ofSeconds(2))); // or a busy machine has not begun
        assertThat(result.reason()).isEqualTo(Reason.TIMED_OUT);
        assertThat(all(result, TaskStream.STDOUT)).contains("telling\n");
        pod.acknowledge(result);
        awaitNoFile();
    }

    @Test
    void whatIsCalledOffLeavesNoFile() {
        start("watched");
        long generation = pod.dispatch(0, call("tell", "/no/such/file", KIB));
        await().until(() -> Files.exists(file("stdout")));
        assertThat(pod.board().cancel(0, generation)).isTrue();
        pod.await(SlotEvent.Cancelled.class);
        pod.await(SlotEvent.Ready.class);
        awaitNoFile();
    }

    /** Wherever between the two messages the cancel meets it. */
    @ParameterizedTest
    @ValueSource(strings = {"watched", "alone"})
    void callsThatAreCalledOffAtAnyTimeLeaveTheNextOneItsOwn(String mode) {
        start(mode);
        for (int round = 0; round < 20; round++) {
            pod.cancelAtOnce(call("shout", "500", KIB), 10);
            SlotResult result = run("shout", "2");
            assertThat(all(result, TaskStream.STDOUT)).contains("1\n2\n");
            assertThat(all(result, TaskStream.STDERR)).contains("shouted 2\n");
            pod.acknowledge(result);
        }
        awaitNoFile();
    }

    @Test
    void whatItPrintsWhileTheWorkerEndsIsThere() {
        start("watched");
        long generation = pod.dispatch(0, call("tell", pod.root().resolve("go").toString(), KIB));
        await().until(() -> Files.exists(file("stdout")));
        pod.agent().terminate(); // of which the handler hears while its task runs
        pod.await(SlotEvent.AgentDraining.class);
        pod.create("go");
        SlotResult result = pod.finished(0, generation);
        assertThat(result.passed()).as("%s", result).isTrue();
        assertThat(all(result, TaskStream.STDOUT)).contains("telling\ntold");
    }

    @Test
    void aSupervisorThatComesBackReadsIt() {
        start("watched");
        long generation = pod.dispatch(0, call("tell", pod.root().resolve("go").toString(), KIB));
        await().until(() -> Files.exists(file("stdout")));
        pod.closeBoard();
        pod.create("go");
        pod.events().clear();
        pod.startBoard(BoardConfig.Start.RESUME);
        pod.await(SlotEvent.Found.class);
        assertThat(pod.board().adopt(0, generation, Optional.empty())).isTrue();
        assertThat(all(pod.finished(0, generation), TaskStream.STDOUT)).contains("telling\ntold");
    }

    @Test
    void aDiskThatTakesNothingCostsTheTaskNothing() throws Exception {
        start("watched");
        Files.delete(pod.root().resolve("whole"));
        SlotResult result = run("shout", "3");
        assertThat(result.passed()).isTrue();
        assertThat(all(result, TaskStream.STDOUT)).isEmpty();
        assertThat(pod.stdout(result)).isEqualTo("1\n2\n3\n");
        assertThat(pod.agent().stderr()).contains("slot 0: its stdout is not kept as a whole: No such file");
    }

    @Test
    void commandsAndFunctionsOfOneSlotHaveTheirOwn() {
        start("watched");
        for (int round = 0; round < 10; round++) {
            SlotResult called = run("shout", "2");
            assertThat(all(called, TaskStream.STDOUT)).contains("1\n2\n");
            pod.acknowledge(called);
            SlotResult command = pod.run(AgentPod.sh("echo a command").keepingStreams(KIB));
            assertThat(all(command, TaskStream.STDOUT)).contains("a command\n");
            pod.acknowledge(command);
        }
        awaitNoFile();
    }

    @Test
    void anAgentThatDiesTakesItAlong() {
        start("watched");
        long generation = pod.dispatch(0, call("tell", "/no/such/file", KIB));
        await().until(() -> Files.exists(file("stdout")));
        Signals.send(Signals.child(pod.agent().handle(), "quiver-slot-0"), "KILL");
        SlotResult result = pod.finished(0, generation);
        assertThat(result.reason()).isEqualTo(Reason.RUNNER_DIED);
        assertThat(all(result, TaskStream.STDOUT)).isEmpty();
        pod.acknowledge(result);
        awaitNoFile();
    }
}
