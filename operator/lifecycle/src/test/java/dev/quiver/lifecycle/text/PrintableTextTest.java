package dev.quiver.lifecycle.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PrintableTextTest {

    @Test
    void aTextThatIsSeenAsItIsStays() {
        String text = "Größe 5 µm – 東京 ✔ ⚠\ufe0f 😀 C:\\users\n\tat main";

        assertThat(PrintableText.of(text)).isSameAs(text);
    }

    @Test
    void controlCharactersAreEscaped() {
        assertThat(PrintableText.of("a\u0000b\u001b[31m\r\u007f\u0080\u0085\u009f"))
                .isEqualTo("a\\u0000b\\u001b[31m\\u000d\\u007f\\u0080\\u0085\\u009f");
    }

    @Test
    void noncharactersAndHalvesOfPairsAreEscaped() {
        assertThat(PrintableText.of("\ufffe\uffff\ufdd0 \ud83d \ude00 " + Character.toString(0x1ffff)))
                .isEqualTo("\\ufffe\\uffff\\ufdd0 \\ud83d \\ude00 \\u{1ffff}");
    }

    @Test
    void charactersThatAreNotSeenAreEscaped() {
        assertThat(PrintableText.of("a\u202etxt\u2066b\u200b\u200d\ufeff\u00ad\u2060\u061c\u3164a\ufe0f"))
                .isEqualTo("a\\u202etxt\\u2066b\\u200b\\u200d\\ufeff\\u00ad\\u2060\\u061c\\u3164a\\ufe0f");
        assertThat(PrintableText.of(Character.toString(0xe0041))).isEqualTo("\\u{e0041}");
        assertThat(PrintableText.of("\u2028\u2029")).isEqualTo("\\u2028\\u2029");
    }

    /** The characters that the API server's parser of YAML takes: all else freezes a status. */
    @Test
    void everyCharacterBecomesOneThatTheApiServerTakes() {
        for (int point = 0; point <= Character.MAX_CODE_POINT; point++) {
            assertThat(PrintableText.of("x" + Character.toString(point))
                            .codePoints()
                            .allMatch(PrintableTextTest::isTaken))
                    .as("U+%04X", point)
                    .isTrue();
        }
    }

    @Test
    void aLineHasNoBreaks() {
        assertThat(PrintableText.line("a\n\tb")).isEqualTo("a\\u000a\\u0009b");
    }

    @Test
    void isDoneOnce() {
        String once = PrintableText.line("a\n\u202e\ud800");

        assertThat(PrintableText.line(once)).isSameAs(once);
    }

    @Test
    void aLongTextIsCutBetweenCharactersAndEscapes() {
        assertThat(PrintableText.of("abcdef", 6)).isEqualTo("abcdef");
        assertThat(PrintableText.of("abcdefg", 6)).isEqualTo("abcde…");
        assertThat(PrintableText.of("abcd😀fg", 6)).isEqualTo("abcd…");
        assertThat(PrintableText.of("ab\u200bcdefg", 8)).isEqualTo("ab…");
        assertThat(PrintableText.of("ab\u200bc", 9)).isEqualTo("ab\\u200bc");
        assertThat(PrintableText.line("\u0001".repeat(1_000_000), 13)).isEqualTo("\\u0001\\u0001…");
        assertThat(PrintableText.of("abc", 1)).isEqualTo("…");
    }

    @Test
    void aPlaceWithinAnEscapeMovesToItsEdge() {
        String text = PrintableText.of("C:\\users\u0001\u0002" + Character.toString(0xe0041) + "!");
        assertThat(text).isEqualTo("C:\\users\\u0001\\u0002\\u{e0041}!");
        for (int place : new int[] {3, 8, 14, 20, 29, 30}) {
            assertThat(PrintableText.beginAt(text, place)).isEqualTo(place);
            assertThat(PrintableText.endAt(text, place)).isEqualTo(place);
        }
        assertThat(PrintableText.endAt(text, 9)).isEqualTo(8);
        assertThat(PrintableText.beginAt(text, 19)).isEqualTo(20);
        assertThat(PrintableText.beginAt(text, 21)).isEqualTo(29);
        assertThat(PrintableText.endAt(text, 28)).isEqualTo(20);
    }

    @Test
    void aBoundBelowOneIsRefused() {
        assertThatThrownBy(() -> PrintableText.of("a", 0)).isInstanceOf(IllegalArgumentException.class);
    }

    private static boolean isTaken(int c) {
        return c == '\t'
                || c == '\n'
                || (c >= 0x20 && c <= 0x7e)
                || (c >= 0xa0 && c <= 0xd7ff)
                || (c >= 0xe000 && c <= 0xfffd && c != 0xfeff)
                || c >= 0x10000;
    }
}
