package dev.quiver.controller.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.redis.StoreUnreachableException;

class StoreReasonTest {

    @ParameterizedTest
    @CsvSource({
        "NO_RIGHT, AccessDenied",
        "OUT_OF_MEMORY, OutOfMemory",
        "OTHER, Unsupported",
        "PASSING, Unreachable",
        "REPLICA, Unreachable",
        "SLOT_MOVES, Unreachable"
    })
    void aRefusalIsNamedForWhatItIs(StoreRefusedException.Kind kind, StoreReason reason) {
        assertThat(StoreWatch.reason(new StoreRefusedException(kind, "no", null)))
                .isEqualTo(reason);
    }

    @Test
    void silenceIsUnreachable() {
        assertThat(StoreWatch.reason(new StoreUnreachableException("refused", null)))
                .isEqualTo(StoreReason.Unreachable);
    }
}
