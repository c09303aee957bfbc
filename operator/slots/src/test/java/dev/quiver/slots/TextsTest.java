package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TextsTest {
    private static String lastLines(String text, int most) {
        return Texts.lastLines(text.getBytes(StandardCharsets.UTF_8), most);
    }

    @Test
    void cutsBetweenCharacters() {
        assertThat(Texts.utf8("aü", 2)).containsExactly('a');
        assertThat(Texts.utf8("aü", 3)).hasSize(3);
        assertThat(Texts.utf8("🏹", 3)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "plain", "üñ€", "\uD83C\uDFF9 arrow", "\uFFFD", "\uD7FF\uE000"})
    void takesWholeCharactersAsTheyAre(String text) throws CharacterCodingException {
        assertThat(Texts.strictUtf8(text)).isEqualTo(text.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\uD83C", "a\uDFF9b", "\uDFF9\uD83C", "\uD83C\uDFF9\uD83C"})
    void refusesHalfACharacter(String text) {
        assertThatThrownBy(() -> Texts.strictUtf8(text)).isInstanceOf(CharacterCodingException.class);
    }

    @Test
    void keepsWholeLastLines() {
        assertThat(lastLines("first\nsecond\nthird\n", 13)).isEqualTo("second\nthird");
        assertThat(lastLines("first\nsecond\nthird\n", 11)).isEqualTo("third");
        assertThat(lastLines("short\n", 512)).isEqualTo("short");
    }

    @Test
    void keepsTheEndOfASingleLongLine() {
        assertThat(lastLines("x".repeat(600) + "end", 10)).isEqualTo("xxxxxxxend");
        assertThat(lastLines("ü".repeat(10), 5)).isEqualTo("üü");
    }

    @Test
    void staysValidAndBoundedWhateverTheBytesAre() {
        byte[] bytes = new byte[1000];
        for (int seed = 0; seed < 200; seed++) {
            new java.util.Random(seed).nextBytes(bytes);
            String text = Texts.lastLines(bytes, 512);
            assertThat(text.getBytes(StandardCharsets.UTF_8).length).isLessThanOrEqualTo(512);
            assertThat(text.chars().allMatch(c -> c >= ' ' || c == '\n' || c == '\t'))
                    .isTrue();
        }
    }
}
