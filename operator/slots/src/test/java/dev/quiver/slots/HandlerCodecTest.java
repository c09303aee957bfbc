package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.slots.layout.ControlDescriptor;
import dev.quiver.slots.layout.ExecDescriptor;
import dev.quiver.slots.layout.FrameDescriptor;

/** The fields that handlers add to the records, against the golden bytes. */
class HandlerCodecTest {
    private static final byte[] CONTROL = Golden.bytes("handler-control-slot");
    private static final byte[] EXEC = Golden.bytes("handler-exec-slot");
    private static final byte[] PASSED = Golden.bytes("handler-exec-slot-passed");

    @Test
    void givesTheSnapshotOfAHandlersSlotAsTheGoldenPacket() {
        Packet packet = Snapshot.of(CONTROL, EXEC, 0).orElseThrow();
        assertThat(packet.kind()).isEqualTo(ControlDescriptor.KIND_HANDLER);
        assertThat(packet.format()).isEqualTo(DataFormat.JSON.code());
        assertThat(packet.reason()).isEqualTo(Reason.EXCEPTION);
        assertThat(PacketCodec.encode(packet)).isEqualTo(Golden.bytes("handler-packet"));
        assertThat(PacketCodec.decode(Golden.bytes("handler-packet"))).isEqualTo(packet);
    }

    @Test
    void readsTheGoldenException() throws Exception {
        SlotResult result = ResultReader.read(3, 12, false, CONTROL, EXEC);
        assertThat(result.reason()).isEqualTo(Reason.EXCEPTION);
        assertThat(result.message()).isEqualTo("ValueError: no such column");
        assertThat(result.progress()).isEqualTo(new Progress(3, 10));
        assertThat(result.retryAfter()).contains(Duration.ofMillis(1500));
        assertThat(result.stderrBytes()).isEqualTo(120);
        assertThat(result.waited()).isEqualTo(Duration.ofNanos(5000));
    }

    @Test
    void readsTheGoldenPassWithALocator() throws Exception {
        SlotResult result = ResultReader.read(3, 12, true, CONTROL, PASSED);
        assertThat(result.output()).isEqualTo(new SlotOutput(23, DataFormat.ARROW, true));
        assertThat(result.retryAfter()).isEmpty();
        assertThat(result.exitCode()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "3, format",
        "259, format",
        "5, format",
        "260, format",
        "512, format",
        "-1, format",
        "258, ''",
        "1, ''",
        "4, ''"
    })
    void refusesAFormatThatIsNone(int format, String field) throws Exception {
        byte[] exec = PASSED.clone();
        ints(exec).putInt(ExecDescriptor.FORMAT, format);
        if (field.isEmpty()) {
            assertThat(ResultReader.read(0, 12, true, CONTROL, exec).output().bytes())
                    .isEqualTo(23);
        } else {
            assertThatThrownBy(() -> ResultReader.read(0, 12, true, CONTROL, exec))
                    .hasMessageContaining(field);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "32, 1025, outLength",
        "32, 0, outLength",
        "88, -1, progress",
        "96, -7, total",
        "112, -1, retryAfterMs",
        "112, 999999999999, retryAfterMs"
    })
    void refusesALengthOfALocatorOrANumberOutsideItsBound(int offset, long value, String field) {
        byte[] exec = PASSED.clone();
        ints(exec).putLong(offset, value);
        assertThatThrownBy(() -> ResultReader.read(0, 12, true, CONTROL, exec)).hasMessageContaining(field);
    }

    @Test
    void writesTheGoldenRecordOfACall() throws Exception {
        Map<String, String> env = new LinkedHashMap<>();
        env.put("QUIVER_INDEX", "9");
        env.put("QUIVER_TASK", "9");
        assertThat(CommandCodec.encode(new HandlerCall("table.sum", env))).isEqualTo(Golden.bytes("handler-command"));
    }

    @ParameterizedTest
    @CsvSource({"''", "'a\nb'", "'\ud83c'"})
    void refusesACallOfAHandlerThatCannotBe(String name) {
        assertThatThrownBy(() -> CommandCodec.encode(HandlerCall.of(name)))
                .isInstanceOf(InvalidAssignmentException.class)
                .hasMessageStartingWith("handler has ");
        assertThatThrownBy(() -> CommandCodec.encode(HandlerCall.of("x".repeat(129))))
                .hasMessageContaining("129 bytes: allowed are 1 to 128");
    }

    @Test
    void readsTheGoldenNamesOfHandlers() throws Exception {
        byte[] area = Golden.bytes("handlers-area");
        int at = ExecDescriptor.HANDLERS_SEQUENCE_AT;
        int length = ints(area).getInt(ExecDescriptor.HANDLERS_LENGTH_AT - at);
        int names = ExecDescriptor.HANDLERS_AT - at;
        assertThat(ints(area).getInt(0)).isEqualTo(6);
        assertThat(HandlerNames.read(Arrays.copyOfRange(area, names, names + length)))
                .containsExactly("table.sum", "résumé", "echo");
    }

    @Test
    void namesNothingForNoBytesAndEverythingOnce() throws Exception {
        assertThat(HandlerNames.read(new byte[0])).isEmpty();
        assertThat(HandlerNames.read(utf8("a\nb\na"))).containsExactly("a", "b");
        assertThat(HandlerNames.read(utf8("x\n".repeat(63) + "y"))).containsExactly("x", "y");
    }

    @Test
    void refusesNamesThatAreNone() {
        assertThatThrownBy(() -> HandlerNames.read(utf8("a\n"))).hasMessageContaining("handler 1 has 0 bytes");
        assertThatThrownBy(() -> HandlerNames.read(utf8("a\u0007b"))).hasMessageContaining("control character");
        assertThatThrownBy(() -> HandlerNames.read(utf8("x".repeat(129)))).hasMessageContaining("129 bytes");
        assertThatThrownBy(() -> HandlerNames.read(utf8("x\n".repeat(64) + "y")))
                .hasMessageContaining("65 handlers were announced: at most 64");
        assertThatThrownBy(() -> HandlerNames.read(new byte[] {'a', (byte) 0xC3}))
                .hasMessageContaining("not valid UTF-8");
        assertThatThrownBy(() -> HandlerNames.length(3825)).hasMessageContaining("at most 3824");
    }

    @Test
    void hasTheGoldenFrameThatSaysThatTheyChanged() {
        ByteBuffer frame = ints(Golden.bytes("handlers-frame"));
        assertThat(frame.capacity()).isEqualTo(FrameDescriptor.BYTES);
        assertThat(frame.getInt(FrameDescriptor.MAGIC_AT)).isEqualTo(FrameDescriptor.MAGIC);
        assertThat(frame.getShort(FrameDescriptor.TYPE_AT)).isEqualTo(FrameDescriptor.HANDLERS);
        assertThat(frame.getLong(FrameDescriptor.EPOCH_AT)).isEqualTo(77);
    }

    @ParameterizedTest
    @CsvSource({"'', 0 bytes", "'a\nb', control"})
    void refusesALocatorThatIsNone(String text, String words) {
        assertThat(Locators.fault(utf8(text)))
                .hasValueSatisfying(fault -> assertThat(fault).contains(words));
        assertThat(Locators.fault(utf8("https://example.org/a?b=ü"))).isEmpty();
        assertThat(Locators.fault(utf8("x".repeat(1025)))).isPresent();
        assertThat(Locators.fault(new byte[] {(byte) 0xFF})).isPresent();
    }

    @Test
    void saysOfAnExceptionItsMessageAndTheEndOfItsTraceback() throws Exception {
        SlotResult result = ResultReader.read(3, 12, false, CONTROL, EXEC);
        String message = "ValueError: no such column";
        assertThat(words(result, "  File \"sum.py\", line 7\n", 512)).isEqualTo(message + "\nFile \"sum.py\", line 7");
        assertThat(words(result, "  line 7\n" + message + "\n", 512)).isEqualTo("line 7\n" + message);
        assertThat(words(result, "", 512)).isEqualTo(message);
        assertThat(words(result, "a\n".repeat(500), 40).getBytes(StandardCharsets.UTF_8))
                .hasSizeLessThanOrEqualTo(40);
        assertThat(words(result, "a\n", message.length())).isEqualTo(message);
    }

    private static String words(SlotResult result, String stderr, int maxBytes) {
        return LastWords.of(result, maxBytes, () -> new FileRead.Content(utf8(stderr)), FileRead.Gone::new);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static ByteBuffer ints(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
