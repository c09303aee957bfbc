package dev.quiver.supervisor.engine.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PermitsTest {

    private final Permits permits = new Permits();

    @Test
    void givesBackWhatAClaimDidNotUse() {
        permits.slots(4);
        Permits.Permit taken;
        try (Permits.Reservation reservation = permits.reserve(4, 0)) {
            assertThat(permits.free()).isZero();
            taken = reservation.take();
        }
        assertThat(permits.free()).isEqualTo(3);
        assertThat(permits.released(ReleaseReason.UNUSED)).isEqualTo(3);
        taken.release(ReleaseReason.SETTLED);
        assertThat(permits.taken()).isZero();
    }

    @Test
    void refusesAReservationBeyondWhatIsFree() {
        permits.slots(2);
        assertThatThrownBy(() -> permits.reserve(3, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThat(permits.taken()).isZero();
    }

    @Test
    void countsThePlacesThatTheSameCallSettles() {
        permits.slots(1);
        Permits.Permit running = permits.reserve(1, 0).take();
        assertThat(permits.free(1)).isEqualTo(1);
        permits.reserve(1, 1);
        running.release(ReleaseReason.SETTLED);
        assertThat(permits.taken()).isEqualTo(1);
        assertThat(permits.free()).isZero();
    }

    @Test
    void releasesAPlaceOnlyOnce() {
        permits.slots(1);
        Permits.Permit place = permits.reserve(1, 0).take();
        place.release(ReleaseReason.CANCELLED);
        assertThatThrownBy(() -> place.release(ReleaseReason.SETTLED)).isInstanceOf(IllegalStateException.class);
        assertThat(permits.taken()).isZero();
    }

    @Test
    void handsOutNoMoreThanReserved() {
        permits.slots(1);
        Permits.Reservation reservation = permits.reserve(1, 0);
        reservation.take();
        assertThatThrownBy(reservation::take).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void hasNoPlaceInTheRingWithoutASlot() {
        permits.depth(8);
        assertThat(permits.free()).isZero();
        permits.slots(2);
        assertThat(permits.free()).isEqualTo(10);
        permits.slots(0);
        assertThat(permits.free()).isZero();
    }
}
