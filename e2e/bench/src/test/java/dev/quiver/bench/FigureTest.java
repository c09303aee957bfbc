package dev.quiver.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class FigureTest {

    @Test
    void isOneLineOfJsonWithTheFieldsThatTheIssueNames() {
        assertThat(Figure.of("throughput", "quiver, slots=64", 120_000.4, "tasks/s", "asynq", 36_000)
                        .json())
                .isEqualTo("{\"bench\":\"throughput\",\"figure\":\"quiver, slots=64\",\"value\":120000,"
                        + "\"unit\":\"tasks/s\",\"against\":\"asynq\",\"ratio\":3.3333}");
    }

    @Test
    void saysNullWhereItStandsAlone() {
        assertThat(Figure.of("footprint", "pss", 0.00123456, "MiB").json())
                .endsWith("\"value\":0.0012346,\"unit\":\"MiB\",\"against\":null,\"ratio\":null}");
    }

    @Test
    void writesLargeNumbersWithoutExponent() {
        assertThat(Figure.of("scale", "bytes", 1e9, "bytes").json()).contains("\"value\":1000000000,");
    }

    @Test
    void refusesWhatCouldNotBeMeasured() {
        assertThatThrownBy(() -> Figure.of("b", "f", 1, "u", "nothing", 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Figure.of("b", "f", Double.NaN, "u")).isInstanceOf(IllegalArgumentException.class);
    }
}
