package dev.quiver.supervisor.engine.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PermitsTest {

    private final Permits places = new Permits();

    @Test
    void givesBackWhatAClaimDidNotUse() {
        places.slots(4);
        Permits.Permit taken;
        try (Permits.Reservation reservation = places.reserve(4, 0)) {
            assertThat(places.free()).isZero();
            taken = reservation.take();
        }
        assertThat(places.free()).isEqualTo(3);
        assertThat(places.released(ReleaseReason.UNUSED)).isEqualTo(3);
        taken.release(ReleaseReason.SETTLED);
        assertThat(places.taken()).isZero();
    }

    @Test
    void refusesAReservationBeyondWhatIsFree() {
        places.slots(2);
        assertThatThrownBy(() -> places.reserve(3, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThat(places.taken()).isZero();
    }

    @Test
    void countsThePlacesThatTheSameCallSettles() {
        places.slots(1);
        Permits.Permit running = places.reserve(1, 0).take();
        assertThat(places.free(1)).isEqualTo(1);
        places.reserve(1, 1);
        running.release(ReleaseReason.SETTLED);
        assertThat(places.taken()).isEqualTo(1);
        assertThat(places.free()).isZero();
    }

    @Test
    void releasesAPlaceOnlyOnce() {
        places.slots(1);
        Permits.Permit place = places.reserve(1, 0).take();
        place.release(ReleaseReason.CANCELLED);
        assertThatThrownBy(() -> place.release(ReleaseReason.SETTLED)).isInstanceOf(IllegalStateException.class);
        assertThat(places.taken()).isZero();
    }

    @Test
    void handsOutNoMoreThanReserved() {
        places.slots(1);
        Permits.Reservation reservation = places.reserve(1, 0);
        reservation.take();
        assertThatThrownBy(reservation::take).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void hasNoPlaceInTheRingWithoutASlot() {
        places.depth(8);
        assertThat(places.free()).isZero();
        places.slots(2);
        assertThat(places.free()).isEqualTo(10);
        places.slots(0);
        assertThat(places.free()).isZero();
    }
}
