package dev.quiver.lifecycle.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.execution.ExecutionInput.Format;

class TaskInputFormatTest {

    @ParameterizedTest
    @CsvSource({"Bytes, 0", "JSON, 1", "Arrow, 2"})
    void hasTheNumberOfItsWord(String word, int code) {
        assertThat(Format.of("input.format", word).code()).isEqualTo(code);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Arguments", "ARGUMENTS", "json", ""})
    void noResourceNamesAnother(String word) {
        assertThatThrownBy(() -> Format.of("input.format", word))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("input.format is \"" + word + "\", JSON, Arrow or Bytes are allowed");
    }

    @Test
    void argumentsAreTheNextNumber() {
        assertThat(Format.ARGUMENTS.code()).isEqualTo(3);
    }
}
