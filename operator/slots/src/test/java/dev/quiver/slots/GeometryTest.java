package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class GeometryTest {
    @Test
    void roundsEveryFileToWholePages() {
        Geometry geometry = new Geometry(3, 5000, 4097);
        assertThat(geometry.controlBytes()).isEqualTo(8192);
        assertThat(geometry.inVolumeBytes()).isEqualTo(2 * 8192 + 3 * 8192);
        assertThat(geometry.allocatedOutBytes()).isEqualTo(3 * (8192 + 2 * 16384));
        assertThat(geometry.outVolumeBytes()).isEqualTo(3 * (2 * 8192 + 2 * 16384 + 4096));
        assertThat(geometry.userMemoryBytes()).isGreaterThan(geometry.allocatedOutBytes());
    }

    @Test
    void namesFieldAndValueThatAreOutOfBounds() {
        assertThatThrownBy(() -> new Geometry(0, 4096, 4096)).hasMessageContaining("slots.count is 0");
        assertThatThrownBy(() -> new Geometry(65, 4096, 4096)).hasMessageContaining("1 to 64");
        assertThatThrownBy(() -> new Geometry(1, 4095, 4096)).hasMessageContaining("slots.inputSize is 4095");
        assertThatThrownBy(() -> new Geometry(1, 4096, Long.MAX_VALUE)).hasMessageContaining("slots.outputSize");
    }

    @Test
    void boundsTheSumOfAllSlots() {
        assertThat(new Geometry(64, 128 << 20, 128 << 20).slots()).isEqualTo(64);
        assertThatThrownBy(() -> new Geometry(64, 128 << 20, (128 << 20) + 1))
                .hasMessageContaining("slots.count × (slots.inputSize + slots.outputSize)")
                .hasMessageContaining("16Gi");
    }
}
