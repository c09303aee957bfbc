package dev.quiver.e2e.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.e2e.cluster.Repository;

/** The demo's show with a stand-in for kubectl: no process of it stays, whether it ends or is interrupted. */
class ShowIT {

    /** Its watch goes on until it is ended; the run is over when the file {@code finished} is there. */
    private static final String KUBECTL = """
            #!/bin/bash
            case "$*" in
                *--watch*) echo "$$" > "$STAND_IN/watch.new"; mv "$STAND_IN/watch.new" "$STAND_IN/watch"
                    exec tail -f /dev/null ;;
                *condition=Finished*) echo "$$" > "$STAND_IN/wait.new"; mv "$STAND_IN/wait.new" "$STAND_IN/wait"
                    until [ -e "$STAND_IN/finished" ]; do sleep 0.1; done ;;
                *completionTime*) echo 2026-01-01T00:01:00Z ;;
                *startTime*) echo 2026-01-01T00:00:00Z ;;
                *"apply -f -"*) cat > /dev/null ;;
                *"get tset"*) echo 3 ;;
            esac
            """;

    /** The kinds that the chart defines, by the names that kubectl deletes. */
    private static final String[] RESOURCES = {
        "tasksets.quiver.dev", "qtasks.quiver.dev", "mapreducejobs.quiver.dev", "workerpools.quiver.dev"
    };

    @TempDir
    private Path folder;

    private Process show;

    @BeforeEach
    void start() throws IOException {
        start(Map.of());
    }

    private void start(Map<String, String> environment) throws IOException {
        Path kubectl = Files.writeString(folder.resolve("kubectl"), KUBECTL);
        assertThat(kubectl.toFile().setExecutable(true)).isTrue();
        // A script that starts the suite in its background, or nohup, ignores signals, and so does all that it starts.
        ProcessBuilder builder = new ProcessBuilder(
                        "env",
                        "--default-signal=INT,QUIT,HUP",
                        Repository.root().resolve("e2e/demo/show").toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("out").toFile());
        builder.environment().put("KUBECTL", kubectl.toString());
        builder.environment().put("STAND_IN", folder.toString());
        builder.environment().putAll(environment);
        show = builder.start();
        await().until(() -> Files.exists(folder.resolve("watch")) && Files.exists(folder.resolve("wait")));
    }

    @AfterEach
    void end() throws IOException {
        for (long pid : pids()) {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        }
        show.destroyForcibly();
    }

    @Test
    void nothingStaysAfterARunThatEnds() throws Exception {
        Files.createFile(folder.resolve("finished"));
        assertThat(show.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(show.exitValue()).as(Files.readString(folder.resolve("out"))).isZero();
        String shown = Files.readString(folder.resolve("out"));
        assertThat(shown)
                .as("kubectl says 3 of everything, and what is pending passed, too")
                .contains("0 passed, 3 pending", "3 failed", "To remove everything");
        assertThat(shown.lines().filter(line -> line.contains("delete crd")))
                .singleElement()
                .satisfies(line -> assertThat(line).contains(RESOURCES).doesNotContain("{", "}"));
        List<String> page = Files.readAllLines(folder.resolve("out")).reversed().subList(0, 2);
        assertThat(page.getLast()).contains("port-forward quiver-history-0 8080");
        assertThat(page.getFirst()).contains("create token quiver-reader --audience read.history.quiver.dev");
        nothingStays();
    }

    @Test
    void removalIsTheCommandThatItWasGiven() throws Exception {
        end();
        for (Path file : List.of(folder.resolve("watch"), folder.resolve("wait"))) {
            Files.delete(file);
        }
        start(Map.of("DEMO_REMOVE", "e2e/run cluster down"));
        Files.createFile(folder.resolve("finished"));
        assertThat(show.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(Files.readAllLines(folder.resolve("out")))
                .containsSequence("To remove everything", "  e2e/run cluster down");
    }

    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM", "HUP"})
    void nothingStaysAfterAnInterruption(String signal) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(show.pid())).start();
        assertThat(kill.waitFor()).isZero();
        assertThat(show.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(show.exitValue()).isNotZero();
        nothingStays();
    }

    private void nothingStays() throws IOException {
        for (long pid : pids()) {
            await("process " + pid + " has ended")
                    .until(() -> ProcessHandle.of(pid).isEmpty());
        }
    }

    private List<Long> pids() throws IOException {
        return Stream.of("watch", "wait")
                .map(folder::resolve)
                .filter(Files::exists)
                .map(ShowIT::pid)
                .toList();
    }

    private static long pid(Path file) {
        try {
            return Long.parseLong(Files.readString(file).strip());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
