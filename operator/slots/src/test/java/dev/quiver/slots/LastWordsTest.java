package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

import org.junit.jupiter.api.Test;

class LastWordsTest {
    private static final FileRead REFUSED = new FileRead.Refused(
            new Violation(3, Violation.Kind.FILE, "/quiver/out/task-3.stderr is not a plain file with one name"));

    private static String words(Reason reason, String message, FileRead stderr) {
        Duration none = Duration.ZERO;
        SlotResult result = new SlotResult(
                3,
                1,
                false,
                true,
                reason,
                1,
                0,
                none,
                none,
                none,
                0,
                0,
                9,
                new SlotOutput(0, DataFormat.BYTES, false),
                new Progress(0, 0),
                Optional.empty(),
                message);
        return LastWords.of(result, 128, () -> stderr);
    }

    private static FileRead lines(String text) {
        return new FileRead.Content(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void prefersACommandsOwnLines() {
        assertThat(words(Reason.NON_ZERO_EXIT, "exit code 1", lines("a\nno such file\n")))
                .isEqualTo("a\nno such file");
        assertThat(words(Reason.NON_ZERO_EXIT, "exit code 1", lines(""))).isEqualTo("exit code 1");
    }

    @Test
    void addsTheLinesToWhatTheExecutorSays() {
        assertThat(words(Reason.TIMED_OUT, "still running", lines("step 7\n"))).isEqualTo("still running\nstep 7");
        assertThat(words(Reason.TIMED_OUT, "", lines("step 7\n"))).isEqualTo("step 7");
        assertThat(words(Reason.EXCEPTION, "no column", lines("Traceback\nno column\n")))
                .isEqualTo("Traceback\nno column");
        assertThat(words(Reason.COMMAND_NOT_FOUND, "x: not found", lines("what a task before said")))
                .isEqualTo("x: not found");
    }

    @Test
    void saysThatAFileWasRefused() {
        assertThat(words(Reason.NON_ZERO_EXIT, "exit code 1", REFUSED))
                .startsWith("exit code 1\n")
                .endsWith("is not a plain file with one name");
        assertThat(words(Reason.TIMED_OUT, "still running", new FileRead.Gone()))
                .isEqualTo("still running");
    }
}
