package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.supervisor.engine.DrainState;
import dev.quiver.supervisor.engine.EngineStatus;

class LastWordsTest {

    @Test
    void sayWhatTheContainerBroke() {
        assertThat(LastWords.of(status(Optional.of("words in slot 1: U ran backwards"), Optional.empty())))
                .contains("the worker container broke the slots' protocol: words in slot 1: U ran backwards");
    }

    @Test
    void sayFirstWhatTheEngineDiedOf() {
        assertThat(LastWords.of(status(Optional.of("anything"), Optional.of("IllegalStateException: 3"))))
                .contains("the engine ended: IllegalStateException: 3");
    }

    @Test
    void areNoneWhenItWasToldToEnd() {
        assertThat(LastWords.of(status(Optional.empty(), Optional.empty()))).isEmpty();
    }

    @Test
    void areLeftAsTheyAreRead(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("termination-log"), "of another process, and longer");
        LastWords.leave("slot \u001b[2J\u202ea\u0085", file);
        assertThat(file).hasContent("slot \\u001b[2J\\u202ea\\u0085");
    }

    private static EngineStatus status(Optional<String> violation, Optional<String> fault) {
        Optional<String> none = Optional.empty();
        return new EngineStatus(none, none, none, none, DrainState.SERVING, 0, 0, 0, 0, 0, none, violation, fault);
    }
}
