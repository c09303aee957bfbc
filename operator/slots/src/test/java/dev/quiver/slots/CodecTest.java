package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.slots.layout.ExecDescriptor;

/** The codecs against the golden bytes, and against bytes that no correct executor writes. */
class CodecTest {
    private static final byte[] CONTROL = Golden.bytes("control-slot");
    private static final byte[] EXEC = Golden.bytes("exec-slot");

    @Test
    void givesTheSnapshotOfASlotAsTheGoldenPacket() {
        Packet packet = Snapshot.of(CONTROL, EXEC, 0).orElseThrow();
        assertThat(packet.state()).isEqualTo(SlotState.RETRY);
        assertThat(packet.generation()).isEqualTo(7);
        assertThat(packet.name()).isEqualTo("a/grün.t");
        assertThat(packet.elapsed()).isEqualTo(Duration.ofMillis(1500));
        assertThat(PacketCodec.encode(packet)).isEqualTo(Golden.bytes("packet"));
        assertThat(PacketCodec.decode(Golden.bytes("packet"))).isEqualTo(packet);
    }

    @Test
    void refusesBytesThatAreNoPacket() {
        assertThatThrownBy(() -> PacketCodec.decode(new byte[255])).hasMessageContaining("256");
        assertThatThrownBy(() -> PacketCodec.decode(new byte[256])).hasMessageContaining("no state has number 0");
    }

    @Test
    void writesTheGoldenCommandRecord() throws Exception {
        Map<String, String> env = new LinkedHashMap<>();
        env.put("A", "1");
        env.put("B", "");
        Command command =
                new Command(List.of("/bin/echo", "", "grün ok"), env, Optional.of("/work"), Duration.ofMillis(1500));
        assertThat(CommandCodec.encode(command)).isEqualTo(Golden.bytes("command"));
        byte[] keeping = Golden.bytes("command");
        keeping[29] = 1;
        assertThat(CommandCodec.encode(command.keepingStreams(256)))
                .as("in a field that was zero")
                .isEqualTo(keeping);
        assertThatThrownBy(() -> CommandCodec.encode(command.keepingStreams(-1)))
                .hasMessageContaining("streamKib is -1: allowed are 0 to 1048576");
    }

    @ParameterizedTest
    @CsvSource({"'A=B', name", "'', name"})
    void refusesVariablesWithoutAProperName(String name, String words) {
        assertThatThrownBy(() -> CommandCodec.encode(Command.of("x").withEnv(Map.of(name, "v"))))
                .hasMessageContaining(words);
    }

    @Test
    void refusesHalfACharacterInsteadOfReplacingIt() {
        assertThatThrownBy(() -> CommandCodec.encode(Command.of("echo", "\ud83c")))
                .hasMessageContaining("command[1]");
    }

    @Test
    void readsTheGoldenResult() throws Exception {
        SlotResult result = ResultReader.read(3, 7, false, CONTROL, EXEC);
        assertThat(result)
                .isEqualTo(new SlotResult(
                        3,
                        7,
                        false,
                        true,
                        Reason.NON_ZERO_EXIT,
                        42,
                        0,
                        Duration.ofMillis(250),
                        Duration.ofMillis(1500),
                        Duration.ofMillis(333),
                        8388608,
                        100,
                        20,
                        new SlotOutput(5, DataFormat.BYTES, false),
                        new Progress(0, 0),
                        Optional.empty(),
                        "exit code 42"));
    }

    @ParameterizedTest
    @CsvSource({
        "48, 256, exit",
        "48, -2, exit",
        "52, 65, signal",
        "44, 99, reason",
        "44, 0, reason",
        "124, 129, messageLength"
    })
    void refusesAFieldOutsideItsBound(int offset, int value, String field) {
        byte[] exec = EXEC.clone();
        ByteBuffer.wrap(exec).order(ByteOrder.LITTLE_ENDIAN).putInt(offset, value);
        assertThatThrownBy(() -> ResultReader.read(0, 7, false, CONTROL, exec)).hasMessageContaining(field);
    }

    @ParameterizedTest
    @CsvSource({
        "32, 65537, outLength",
        "32, -1, outLength",
        "24, 1, ended",
        "16, -5, started",
        "56, -1, cpuNs",
        "72, -1, stdout"
    })
    void refusesALengthOrTimeOutsideItsBound(int offset, long value, String field) {
        byte[] exec = EXEC.clone();
        ByteBuffer.wrap(exec).order(ByteOrder.LITTLE_ENDIAN).putLong(offset, value);
        assertThatThrownBy(() -> ResultReader.read(0, 7, false, CONTROL, exec)).hasMessageContaining(field);
    }

    @Test
    void makesValidTextOfABrokenMessage() throws Exception {
        byte[] exec = EXEC.clone();
        exec[ExecDescriptor.MESSAGE] = (byte) 0xFF;
        exec[ExecDescriptor.MESSAGE + 1] = 7;
        assertThat(ResultReader.read(0, 7, false, CONTROL, exec).message()).isEqualTo("\uFFFD it code 42");
    }

    @Test
    void unrollsATailFromItsOldestByte() {
        byte[] ring = {'e', 'f', 'c', 'd'};
        assertThat(new String(OutFiles.unroll(ring, 6))).isEqualTo("cdef");
        assertThat(new String(OutFiles.unroll(new byte[] {'a', 'b', 0, 0}, 2))).isEqualTo("ab");
        assertThat(new String(OutFiles.unroll(new byte[] {'a', 'b', 'c', 'd'}, 4)))
                .isEqualTo("abcd");
    }
}
