package dev.quiver.lifecycle.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

class RecordingTest {

    @Test
    void aWordIsReadAsItWasWritten() {
        for (Recording.Results results : Recording.Results.values()) {
            Recording recording = new Recording(Recording.Keep.FAILURES, Recording.Output.ALL, results, true);
            formats()
                    .map(recording::as)
                    .forEach(each -> assertThat(Recording.of(each.word())).isEqualTo(each));
        }
    }

    private static Stream<Optional<Recording.Format>> formats() {
        return Stream.concat(
                Stream.of(Optional.empty()),
                Arrays.stream(Recording.Format.values()).map(Optional::of));
    }

    @Test
    void aRecordingWithoutAFormatHasFourLetters() {
        assertThat(Recording.DEFAULT.word()).isEqualTo("afn-");
        assertThat(Recording.DEFAULT.as(Optional.of(Recording.Format.JSON)).word())
                .isEqualTo("afn-j");
    }

    @Test
    void theSizeOfStreamsStandsBesideTheWord() {
        Recording whole = Recording.DEFAULT.keepingStreams(8192);
        assertThat(whole.word()).isEqualTo(Recording.DEFAULT.word());
        assertThat(Recording.of(whole.word(), whole.storedStreamKib())).isEqualTo(whole);
        assertThat(Recording.DEFAULT.storedStreamKib()).isEmpty();
        assertThat(whole.keepsStreams(false)).isTrue();
        assertThat(whole.keepsStreams(true))
                .as("only the output of failures is recorded")
                .isFalse();
        assertThat(Recording.DEFAULT.keepsStreams(false)).isFalse();
        assertThatThrownBy(() -> Recording.DEFAULT.keepingStreams(1 << 21))
                .hasMessage("streamKib is 2097152, at most 1048576");
    }

    @Test
    void anotherWordIsRefused() {
        assertThatThrownBy(() -> Recording.of("afn")).hasMessage("history must have four or five letters: afn");
        assertThatThrownBy(() -> Recording.of("afn-q")).hasMessage("history has no choice q: afn-q");
    }
}
