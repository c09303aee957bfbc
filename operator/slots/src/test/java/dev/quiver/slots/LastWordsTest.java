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
        return words(reason, message, stderr, new FileRead.Gone());
    }

    private static String words(Reason reason, String message, FileRead stderr, FileRead stdout) {
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
        return LastWords.of(result, 128, () -> stderr, () -> stdout);
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
    void hasTheLastLinesOfBothStreamsOfACommandThatFailed() {
        FileRead report = lines("=== FAILURES ===\nE assert 1 == 2\n1 failed\n");
        assertThat(words(Reason.NON_ZERO_EXIT, "exit code 1", lines(""), report))
                .isEqualTo("=== FAILURES ===\nE assert 1 == 2\n1 failed");
        assertThat(words(Reason.NON_ZERO_EXIT, "exit code 1", lines("warning\n"), report))
                .isEqualTo("=== FAILURES ===\nE assert 1 == 2\n1 failed\nwarning");
        assertThat(words(Reason.NON_ZERO_EXIT, "exit code 1", lines("e\n".repeat(200)), lines("o\n".repeat(200))))
                .contains("o\ne")
                .matches("(o\n){25,}(e\n){25,}e")
                .hasSizeLessThanOrEqualTo(128);
        assertThat(words(Reason.TIMED_OUT, "still running", lines("step 7\n"), report))
                .isEqualTo("still running\nstep 7");
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
