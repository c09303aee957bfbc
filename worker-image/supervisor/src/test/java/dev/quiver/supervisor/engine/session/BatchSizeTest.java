package dev.quiver.supervisor.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BatchSizeTest {

    @ParameterizedTest
    @CsvSource({
        // round trip in µs, contract's bound, batch
        "0, 256, 64",
        "300, 256, 64",
        "999, 256, 64",
        "2200, 256, 192",
        "3000, 256, 256",
        "80000, 256, 256",
        "80000, 64, 64",
    })
    void growsWithTheRoundTripUpToTheContractsBound(long micros, int most, int batch) {
        assertThat(BatchSize.of(micros * 1_000, most)).isEqualTo(batch);
    }
}
