package dev.quiver.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonValuesTest {

    /** As states.lua tells whether a field has what is expected of it. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "1 | 1.0 | true",
                "1 | 10e-1 | true",
                "1.5 | 1.50 | true",
                "0 | -0.0 | true",
                "-0 | 0 | true",
                "1 | true | false",
                "1 | \"1\" | false",
                "0 | null | false",
                "null | null | true",
                "9007199254740992 | 9007199254740993 | false",
                "9007199254740992.0 | 9007199254740993 | true",
                "12345678901234567890123456789012345 | 12345678901234567890123456789012345 | true",
                "12345678901234567890123456789012345 | 12345678901234567890123456789012345.0 | false",
                "1e400 | 2e400 | false",
                "1e400 | 1E+400 | true",
                "\"a\" | \"\\u0061\" | true",
                "\"\\/\\n\\t\" | \"/\\u000a\\u0009\" | true",
                "\"a\" | \"b\" | false",
                "[1, 2] | [1,2] | true",
                "[1,2] | [1,2,3] | false",
                "[1] | [1.0] | false",
                "[1] | [true] | false",
                "[-0] | [0] | true",
                "[] | {} | false",
                "{\"a\":1,\"b\":[2,{}]} | {\"b\" : [2, {}], \"\\u0061\": 1} | true",
                "{\"a\":1} | {\"b\":1} | false",
                "{\"a\":1} | {\"a\":1,\"b\":1} | false",
                "{\"a\":{\"b\":null}} | {\"a\":{\"b\":false}} | false",
            })
    void valuesAreComparedAsRedisDoes(String kept, String expected, boolean same) {
        assertThat(JsonValues.isSame(kept, expected)).isEqualTo(same);
        assertThat(JsonValues.isSame(" " + expected + "\n", kept)).isEqualTo(same);
    }

    @Test
    void aDeepValueIsComparedWithoutRecursion() {
        String deep = "[".repeat(5_000) + "1" + "]".repeat(5_000);
        assertThat(JsonValues.isSame(deep, deep)).isTrue();
        assertThat(JsonValues.isSame(deep, deep.replace("1", "2"))).isFalse();
    }

    @Test
    void namesAreReadWithoutTheirEscapes() {
        assertThat(JsonValues.members("{\"a\\\\\\\"b\":1,\"\\u00fc\":2}")).isEqualTo(Map.of("a\\\"b", "1", "ü", "2"));
        assertThat(JsonValues.text("\"\\ud83d\\ude00\"")).contains("😀");
        assertThat(JsonValues.text("7")).isEmpty();
    }
}
