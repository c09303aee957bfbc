package dev.quiver.lifecycle.wires.idoit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The text that JavaScript's JSON.stringify(JSON.parse(text)) gives; the interop test asks Node itself. */
class JsJsonTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "-0, 0",
        "1.0, 1",
        "100, 100",
        "0.1, 0.1",
        "-1.5e3, -1500",
        "1e21, 1e+21",
        "123456789012345680000, 123456789012345680000",
        "1234567890123456789012, 1.2345678901234568e+21",
        "0.000001, 0.000001",
        "0.0000001, 1e-7",
        "1.5e-9, 1.5e-9",
        "5e-324, 5e-324",
        "2e-323, 2e-323",
        "1.7976931348623157e308, 1.7976931348623157e+308",
        "1e999, null",
        "9007199254740993, 9007199254740992",
        "2E1, 20",
    })
    void writesNumbers(String text, String expected) {
        assertThat(JsJson.rewritten(text)).isEqualTo(expected);
    }

    @Test
    void writesStrings() {
        assertThat(JsJson.rewritten("\"\\u00e9\\/\\u2028\\u001F\\n\\ud83d\\ude00\\ud800\""))
                .isEqualTo("\"é/\u2028\\u001f\\n😀\\ud800\"");
    }

    @Test
    void putsIndicesFirst() {
        assertThat(JsJson.rewritten("{ \"b\": 1, \"10\": 2, \"2\": [ ], \"01\": {}, \"4294967295\": null, \"b\": 3}"))
                .isEqualTo("{\"2\":[],\"10\":2,\"b\":3,\"01\":{},\"4294967295\":null}");
    }

    @Test
    void refusesWhatIsNoDocument() {
        assertThatIllegalArgumentException().isThrownBy(() -> JsJson.read("{} {}"));
        assertThatIllegalArgumentException().isThrownBy(() -> JsJson.read(""));
    }
}
