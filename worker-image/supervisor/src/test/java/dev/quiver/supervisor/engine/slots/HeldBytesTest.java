package dev.quiver.supervisor.engine.slots;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HeldBytesTest {

    private final HeldBytes memory = HeldBytes.of(100);

    @Test
    void inputsGetHalfOfItAndOneGoesAlways() {
        assertThat(memory.hasRoomForInput(1000)).isTrue();
        HeldBytes.Share first = memory.input(30);
        assertThat(memory.hasRoomForInput(20)).isTrue();
        assertThat(memory.hasRoomForInput(21)).isFalse();
        HeldBytes.Share second = memory.input(30);
        assertThat(memory.isFullOfInputs()).isTrue();
        first.change(10);
        assertThat(memory.isFullOfInputs()).isFalse();
        first.close();
        first.close();
        second.close();
        assertThat(memory.hasRoomForInput(1000)).isTrue();
    }

    @Test
    void outputsGetWhatInputsLeave() {
        HeldBytes.Share input = memory.input(40);
        assertThat(memory.roomForOutputs()).isEqualTo(60);
        HeldBytes.Share output = memory.output(70);
        assertThat(memory.holdsOutputs()).isTrue();
        assertThat(memory.roomForOutputs()).isZero();
        input.close();
        assertThat(memory.hasRoomForInput(1)).as("nothing is held").isTrue();
        output.close();
        assertThat(memory.holdsOutputs()).isFalse();
    }
}
