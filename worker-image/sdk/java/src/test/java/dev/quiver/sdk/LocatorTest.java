package dev.quiver.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocatorTest {
    @ParameterizedTest
    @ValueSource(strings = {"", "a\0b", "s3://a\nb", "s3://a\u007F", "s3://a\u0085"})
    void hasNoControlCharacters(String url) {
        assertThatThrownBy(() -> new Locator(url, Format.BYTES))
                .hasMessage("a locator has 1 to 1024 bytes without control characters");
    }

    @Test
    void leadsToNoArguments() {
        assertThatThrownBy(() -> new Locator("/data/x", Format.ARGUMENTS)).hasMessageContaining("not to arguments");
        assertThatThrownBy(() -> new Locator("/data/x", Format.EFFECTS)).hasMessageContaining("not to effects");
    }

    @Test
    void hasABoundInBytes() {
        assertThat(new Locator("ü".repeat(512), Format.BYTES).url()).hasSize(512);
        assertThatThrownBy(() -> new Locator("ü".repeat(512) + "x", Format.BYTES))
                .hasMessageContaining("1 to 1024 bytes");
    }
}
