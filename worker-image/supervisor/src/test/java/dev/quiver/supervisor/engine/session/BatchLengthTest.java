package dev.quiver.supervisor.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;

import org.junit.jupiter.api.Test;

class BatchLengthTest {

    private final BatchLength automatic = new BatchLength(Optional.empty());

    @Test
    void isOneWhileNothingIsKnown() {
        assertThat(automatic.tasks()).isEqualTo(1);
        assertThat(automatic.wanted()).isEqualTo(1);
    }

    @Test
    void isAsManyAsRunForAMillisecondTogether() {
        automatic.ran(50_000);
        assertThat(automatic.tasks()).isEqualTo(20);
    }

    @Test
    void hasBounds() {
        automatic.ran(0);
        assertThat(automatic.tasks()).isEqualTo(64);
        automatic.ran(100_000_000);
        assertThat(automatic.tasks()).isEqualTo(1);
    }

    @Test
    void aLongRunCountsAtOnceAndShortOnesLittleByLittle() {
        automatic.ran(10_000);
        assertThat(automatic.tasks()).isEqualTo(64);
        automatic.ran(2_000_000);
        assertThat(automatic.tasks()).isEqualTo(1);
        automatic.ran(10_000);
        assertThat(automatic.tasks()).isEqualTo(1);
        for (int i = 0; i < 100; i++) {
            automatic.ran(10_000);
        }
        assertThat(automatic.tasks()).isEqualTo(64);
    }

    @Test
    void isTheWishOfTheSet() {
        BatchLength wanted = new BatchLength(Optional.of(8));
        wanted.ran(5_000_000_000L);
        assertThat(wanted.tasks()).isEqualTo(8);
        assertThat(wanted.wanted()).isEqualTo(8);
    }

    @Test
    void takesNoPermitsForDispatchesThatDoNotHappen() {
        BatchLength wanted = new BatchLength(Optional.of(8));
        wanted.stalled();
        assertThat(wanted.wanted()).isEqualTo(1);
        wanted.together(1);
        assertThat(wanted.wanted()).isEqualTo(1);
        wanted.together(3);
        assertThat(wanted.wanted()).isEqualTo(8);
        assertThat(wanted.tasks()).isEqualTo(8);
    }
}
