package dev.quiver.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InputTest {
    @Test
    void aCallHasItsArguments() {
        Input input = InputFixture.of("[1, \"a\", {\"b\": []}]", 3, false);
        assertThat(input.format()).isEqualTo(Format.ARGUMENTS);
        assertThat(input.arguments()).containsExactly("1", "\"a\"", "{\"b\": []}");
        assertThat(input.text()).isEqualTo("[1, \"a\", {\"b\": []}]");
        assertThat(InputFixture.of("[]", 3, false).arguments()).isEmpty();
    }

    @Test
    void anInputIsOneArgumentAndNoneIsNone() {
        assertThat(InputFixture.of("[1,2]", 1, false).arguments()).containsExactly("[1,2]");
        assertThat(InputFixture.of("", 0, false).arguments()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "x, 0, false, 'the input is BYTES, the function takes arguments'",
        "x, 2, false, 'the input is ARROW, the function takes arguments'",
        "x, 1, true, 'the input is a locator, the function takes arguments'",
        "{}, 3, false, 'not a JSON array: U+007B at character 0'",
    })
    void whatIsNoArgumentsIsRefused(String text, int format, boolean locator, String words) {
        Input input = InputFixture.of(text, format, locator);
        assertThatThrownBy(input::arguments)
                .isInstanceOf(InputInvalidException.class)
                .hasMessage(words);
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 77, -1})
    void aFormatThatIsNotKnownIsRefused(int format) {
        assertThatThrownBy(() -> InputFixture.of("[]", format, false))
                .isInstanceOf(InputInvalidException.class)
                .hasMessage("format " + format + " is not known to this SDK");
    }

    @Test
    void noLocatorLeadsToArguments() {
        assertThatThrownBy(() -> InputFixture.of("/data/x", 3, true).locator())
                .isInstanceOf(InputInvalidException.class);
    }
}
