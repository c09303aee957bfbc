package dev.quiver.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;

import org.junit.jupiter.api.Test;

class SamplesTest {

    @Test
    void takesTheMiddleOfAnOddNumberOfRounds() {
        assertThat(new Samples(List.of(9.0, 1.0, 5.0)).median()).isEqualTo(5.0);
    }

    @Test
    void takesTheMeanOfTheTwoMiddleOnesOfAnEvenNumber() {
        assertThat(new Samples(List.of(4.0, 1.0, 2.0, 100.0)).median()).isEqualTo(3.0);
    }

    @Test
    void showsTheSpreadBesideTheMedian() {
        assertThat(new Samples(List.of(1000.0, 3000.0, 2000.0)).shown()).isEqualTo("2,000 (1,000–3,000)");
    }

    @Test
    void refusesToBeEmpty() {
        assertThatThrownBy(() -> new Samples(List.of())).isInstanceOf(IllegalArgumentException.class);
    }
}
