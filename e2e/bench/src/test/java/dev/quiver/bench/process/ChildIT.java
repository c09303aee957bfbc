package dev.quiver.bench.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.bench.Waiting;

class ChildIT {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    Path folder;

    @Test
    void endsWithClose() throws Exception {
        Child child = Child.start(folder.resolve("log"), Map.of(), List.of("sleep", "600"));
        assertThat(child.alive()).isTrue();
        child.close();
        assertThat(child.alive()).isFalse();
    }

    @Test
    void keepsItsLastWords() throws Exception {
        try (Child child =
                Child.start(folder.resolve("log"), Map.of("WORD", "goodbye"), List.of("sh", "-c", "echo $WORD"))) {
            Waiting.await("the word", PATIENCE, () -> child.lastWords().equals("goodbye"));
        }
    }

    @Test
    void isNotAwaitedOnceItHasEnded() throws Exception {
        try (Child child = Child.start(folder.resolve("log"), Map.of(), List.of("sh", "-c", "echo no room"))) {
            assertThatThrownBy(() -> child.await("a miracle", Duration.ofDays(1), () -> false))
                    .isInstanceOf(IOException.class)
                    .hasMessage("it ended before a miracle:\nno room");
        }
    }

    @Test
    void endsWhenTheHarnessIsKilled() throws Exception {
        Process harness = new ProcessBuilder(Java.command(
                        Harness.class, List.of(), List.of(folder.resolve("log").toString())))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader said = harness.inputReader()) {
            long grandchild = Long.parseLong(said.readLine());
            assertThat(ProcessHandle.of(grandchild)).isPresent();
            harness.destroyForcibly().waitFor();
            Waiting.await(
                    "the end of the grandchild",
                    PATIENCE,
                    () -> !ProcessHandle.of(grandchild)
                            .map(ProcessHandle::isAlive)
                            .orElse(false));
        }
    }

    /** Stands for a harness that dies without a word. */
    public static final class Harness {

        private Harness() {}

        public static void main(String[] arguments) throws Exception {
            Child child = Child.start(Path.of(arguments[0]), Map.of(), List.of("sleep", "600"));
            System.out.println(child.pid());
            Thread.currentThread().join();
        }
    }
}
