package dev.quiver.controller.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SourceReaderTest {

    @Test
    void linesAreTasksButForBlankOnesAndComments() {
        assertThat(SourceReader.lines("ConfigMap x, key y", "one\r\n\n  # no\n {\"name\":\"two\"} \n"))
                .isInstanceOfSatisfying(
                        SourceReading.Read.class,
                        r -> assertThat(r.source().payloads()).containsExactly("one", "{\"name\":\"two\"}"));
    }

    @ParameterizedTest
    @MethodSource
    void whatIsNoTaskIsNamed(String text, String part) {
        assertThat(SourceReader.lines("ConfigMap x, key y", text))
                .isInstanceOfSatisfying(
                        SourceReading.Invalid.class,
                        i -> assertThat(i.message())
                                .contains("spec.source.configMapKeyRef", "ConfigMap x, key y", part));
    }

    static Stream<Arguments> whatIsNoTaskIsNamed() {
        return Stream.of(
                Arguments.of("", "holds no task"),
                Arguments.of("a\n{\"name\":}", "line 2"),
                Arguments.of("a\n\n{\"args\":[]}", "line 3"),
                Arguments.of("a\0b", "NUL"),
                Arguments.of("x".repeat(300_000), "300000 bytes"));
    }

    @Test
    void theHashTellsSourcesApart() {
        assertThat(hash("a\nb"))
                .isNotEqualTo(hash("b\na"))
                .isNotEqualTo(hash("a"))
                .hasSize(64);
        assertThat(hash("a\nb")).isEqualTo(hash("# c\na\n\nb\n"));
    }

    private static String hash(String text) {
        return ((SourceReading.Read) SourceReader.lines("x", text)).source().hash();
    }
}
