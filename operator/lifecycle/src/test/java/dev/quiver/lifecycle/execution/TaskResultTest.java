package dev.quiver.lifecycle.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.lifecycle.execution.ExecutionInput.Format;
import dev.quiver.lifecycle.execution.ExecutionInput.Payload;

class TaskResultTest {

    private static Payload output(String text, Format format, boolean locator) {
        return new Payload(text.getBytes(StandardCharsets.UTF_8), format, locator);
    }

    private static String result(String text, Format format, boolean locator) {
        return TaskResult.of(output(text, format, locator)).orElseThrow().json();
    }

    @Test
    void outputWithoutAByteIsNoResult() {
        assertThat(TaskResult.of(Payload.NONE)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`1.50\n`|1.50",
                "` [1, 2]\n`|[1, 2]",
                "`true`|true",
                "`two words\r\n`|`\"two words\"`",
                "` \n`|`\"\"`",
                "`{\"a\": `|`\"{\\\"a\\\":\"`"
            })
    void textIsADocumentOrAString(String text, String json) {
        assertThat(result(text, Format.BYTES, false)).isEqualTo(json);
    }

    @Test
    void otherOutputsAreDescribedAsInputsAre() {
        assertThat(result("s3://b/k", Format.ARROW, true)).isEqualTo("{\"locator\":\"s3://b/k\",\"format\":\"Arrow\"}");
        assertThat(result("abc", Format.ARROW, false)).isEqualTo("{\"base64\":\"YWJj\",\"format\":\"Arrow\"}");
        assertThat(TaskResult.of(new Payload(new byte[] {-1}, Format.BYTES, false))
                        .orElseThrow()
                        .json())
                .isEqualTo("{\"base64\":\"/w==\",\"format\":\"Bytes\"}");
    }

    @Test
    void arraysKnowTheirLength() {
        assertThat(TaskResult.of(output("[1,[2,3]]", Format.JSON, false))
                        .orElseThrow()
                        .elements())
                .isEqualTo(2);
        assertThat(TaskResult.of(output("{}", Format.JSON, false)).orElseThrow().elements())
                .isEqualTo(-1);
    }

    @Test
    void brokenJsonIsRefused() {
        assertThatThrownBy(() -> result("{", Format.JSON, false))
                .isInstanceOf(IllegalArgumentException.class)
                .isNotInstanceOf(InputTooLargeException.class);
        assertThatThrownBy(() -> TaskResult.of(new Payload(new byte[] {-1}, Format.JSON, false)))
                .hasMessageContaining("UTF-8");
    }

    @Test
    void whatIsTooLargeIsRefusedWithBothSizes() {
        String large = "x".repeat(TaskResult.MAX_BYTES);
        assertThatThrownBy(() -> result(large, Format.BYTES, false))
                .isInstanceOf(InputTooLargeException.class)
                .hasMessage("result has 262146 bytes, at most 262144 are allowed");
        assertThatThrownBy(() -> result("1".repeat(TaskResult.MAX_BYTES + 1), Format.BYTES, false))
                .isInstanceOf(InputTooLargeException.class);
    }
}
