package dev.quiver.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TableTest {

    @Test
    void alignsTheFirstColumnLeftAndTheOthersRight() {
        assertThat(new Table("slots", "tasks/s")
                        .row("1", "7")
                        .row("64", "12,345")
                        .toString())
                .hasToString(String.join("\n", "  slots  tasks/s", "  1            7", "  64      12,345"));
    }

    @Test
    void refusesARowOfAnotherLength() {
        assertThatThrownBy(() -> new Table("a", "b").row("1")).isInstanceOf(IllegalArgumentException.class);
    }
}
