package dev.quiver.supervisor.execution;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

class TailTest {

    @Test
    void keepsShortTextAsItIs() {
        assertThat(Tail.fit("no such file\nexit\n")).isEqualTo("no such file\nexit");
    }

    @Test
    void keepsTheLastWholeLines() {
        String text = "first line that is cut\n" + "a".repeat(300) + "\n" + "b".repeat(200);
        assertThat(Tail.fit(text)).isEqualTo("a".repeat(300) + "\n" + "b".repeat(200));
    }

    @Test
    void keepsTheEndOfALineThatIsTooLong() {
        assertThat(Tail.fit("x".repeat(600) + "end")).hasSize(512).endsWith("xend");
    }

    @Test
    void neverExceedsItsBytesNorCutsACharacter() {
        for (String unit : new String[] {"é", "€", "😀", "a€"}) {
            String fitted = Tail.fit(unit.repeat(400));
            assertThat(fitted.getBytes(StandardCharsets.UTF_8).length).isBetween(500, 512);
            assertThat(fitted).doesNotContain("\uFFFD");
        }
    }

    @Test
    void leavesOutControlCharactersAndLoneSurrogates() {
        assertThat(Tail.fit("a\u0000b\u001b[31mred\tx\uD800y")).isEqualTo("ab[31mred\tx\uFFFDy");
    }
}
