package dev.quiver.supervisor.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BatchSizeTest {

    @ParameterizedTest
    @CsvSource({
        // whether the queue feeds the slots, round trip in µs, contract's bound, batch
        "false, 0, 256, 64",
        "false, 300, 256, 64",
        "false, 999, 256, 64",
        "false, 2200, 256, 192",
        "false, 3000, 256, 256",
        "false, 80000, 256, 256",
        "false, 80000, 64, 64",
        "true, 0, 256, 128",
        "true, 999, 256, 128",
        "true, 2200, 256, 192",
        "true, 80000, 256, 256",
        "true, 80000, 64, 64",
    })
    void growsWithTheRoundTripUpToTheContractsBound(boolean feeding, long micros, int most, int batch) {
        assertThat(BatchSize.of(feeding, micros * 1_000, most)).isEqualTo(batch);
    }
}
