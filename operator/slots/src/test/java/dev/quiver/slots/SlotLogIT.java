package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import dev.quiver.slots.rig.AgentPod;
import dev.quiver.slots.rig.AgentProcess;

/** The lines that a handler's process prints at its start and between tasks, kept by the real agent. */
@Execution(ExecutionMode.CONCURRENT)
class SlotLogIT {
    private static final String TIME = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z ";

    private AgentPod pod;

    @BeforeEach
    void start() {
        pod = AgentPod.serving(new Geometry(1, 64 * 1024, 64 * 1024), Map.of(), AgentProcess.TEST_HANDLER, "talks");
    }

    @AfterEach
    void stop() {
        pod.close();
    }

    private String log() {
        return new String(pod.board().log(0), StandardCharsets.UTF_8);
    }

    private void run(String handler, String input) {
        pod.acknowledge(pod.run(Assignment.of("it/" + handler, HandlerCall.of(handler))
                .with(Payload.bytes(input.getBytes(StandardCharsets.UTF_8)))));
    }

    @Test
    void aLineHasItsTimeAndItsStream() {
        await().untilAsserted(() -> assertThat(log().lines().map(line -> line.replaceFirst(TIME, "")))
                .contains("AGENT its handler starts", "OUT loading", "ERR loading slowly"));
        assertThat(log().lines()).allMatch(line -> line.matches(TIME + ".*"));
    }

    @Test
    void linesBetweenTasksAreKeptAndThoseOfATaskAreNot() {
        run("print", "a task");
        await().until(() -> log().contains("OUT idle after 1\n"));
        assertThat(log()).doesNotContain("said by");
    }

    @Test
    void aProcessThatEndsSaysHowAndIsFollowedByAnother() {
        run("die", "7");
        await().until(() -> log().split("its handler starts", -1).length == 3);
        assertThat(log()).contains("AGENT its handler ended with exit code 7\n");
    }

    @Test
    void aFileThatATaskPutInItsPlaceIsNotFollowed() throws IOException {
        await().until(() -> log().contains("loading"));
        Path file = pod.out().resolve("task-0.log"), other = pod.root().resolve("other");
        Files.writeString(other, "another file");
        Files.delete(file);
        Files.createSymbolicLink(file, other);
        assertThat(log()).isEmpty();
        run("die", "7");
        assertThat(other).hasContent("another file");
        Files.delete(file);
        Files.createDirectory(file);
        assertThat(log()).isEmpty();
    }
}
