package dev.quiver.sdk.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.sdk.HandlerPod;
import dev.quiver.sdk.Input;
import dev.quiver.sdk.InputFixture;
import dev.quiver.slots.Assignment;
import dev.quiver.slots.DataFormat;
import dev.quiver.slots.Geometry;
import dev.quiver.slots.HandlerCall;
import dev.quiver.slots.Payload;
import dev.quiver.slots.Reason;
import dev.quiver.slots.SlotResult;

/** Tables in and out of Java handlers under the real agent, in the slot's own memory. */
class ArrowHandlerIT {
    private static final int ROWS = 3000;

    private static HandlerPod pod;

    @BeforeAll
    static void start() {
        List<String> command = HandlerPod.java(ArrowHandlers.class, true);
        pod = HandlerPod.start(new Geometry(1, 1 << 20, 1 << 20), command, Map.of());
    }

    @AfterAll
    static void stop() {
        pod.close();
    }

    private static Payload table(boolean withNulls) throws IOException {
        BigIntVector x = new BigIntVector("x", ArrowMemory.allocator());
        VarCharVector s = new VarCharVector("s", ArrowMemory.allocator());
        for (int i = 0; i < ROWS; i++) {
            if (withNulls && i % 3 == 2) {
                x.setNull(i);
            } else {
                x.setSafe(i, i);
            }
            s.setSafe(i, ("text " + i).getBytes(StandardCharsets.UTF_8));
        }
        VectorSchemaRoot root = new VectorSchemaRoot(List.of(x, s));
        root.setRowCount(ROWS);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ArrowOutput output = ArrowOutput.of(root)) {
            output.writeTo(Channels.newChannel(bytes));
        }
        return Payload.arrow(bytes.toByteArray());
    }

    /** x: values, with nulls also validity; s: offsets and values. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyBufferOfATableLiesInTheSlotsMemory(boolean withNulls) throws IOException {
        for (int i = 0; i < 3; i++) { // what a task leaves behind does not disturb the next
            assertThat(pod.text("where", table(withNulls))).isEqualTo(ROWS + (withNulls ? " 4 0" : " 3 0"));
        }
    }

    @Test
    void aTableThatIsReturnedIsAStreamOfItsRows() throws IOException {
        SlotResult result = pod.run("double", table(true));
        assertThat(result.passed()).as(result.toString() + pod.stderr(result)).isTrue();
        assertThat(result.output().format()).isEqualTo(DataFormat.ARROW);
        byte[] stream = pod.output(result);
        pod.acknowledge(result);
        try (Arena arena = Arena.ofConfined()) {
            Input input = InputFixture.arrow(arena.allocate(stream.length, 64).copyFrom(MemorySegment.ofArray(stream)));
            ArrowReader reader = ArrowInput.read(input);
            assertThat(reader.loadNextBatch()).isTrue();
            VectorSchemaRoot root = reader.getVectorSchemaRoot();
            assertThat(root.getRowCount()).isEqualTo(ROWS);
            BigIntVector doubled = (BigIntVector) root.getVector("doubled");
            assertThat(doubled.get(ROWS - 3)).isEqualTo(2L * (ROWS - 3));
            assertThat(doubled.isNull(ROWS - 1)).isTrue();
            assertThat(((VarCharVector) root.getVector("texts")).getObject(7)).hasToString("grün 7");
            assertThat(reader.loadNextBatch()).isFalse();
            assertThat(InputFixture.end(input)).isNull();
        }
    }

    /**
     * The value that map of a map-reduce returns, and process of the same gets: a batch of the stream behind an
     * argument.
     */
    @Test
    void aBatchForEachChunkIsReturnedAndTakenInTheSlot() {
        SlotResult mapped = pod.run("map", Payload.arguments("[3]"));
        assertThat(mapped.passed()).as(mapped + pod.stderr(mapped)).isTrue();
        byte[] stream = pod.output(mapped);
        pod.acknowledge(mapped);
        SlotResult result =
                pod.run(Assignment.of("it/process", new HandlerCall("process", Map.of("QUIVER_ARGS", "[10]")))
                        .with(Payload.arrow(stream)));
        assertThat(result.passed()).as(result + pod.stderr(result)).isTrue();
        byte[] output = pod.output(result);
        pod.acknowledge(result);
        try (Arena arena = Arena.ofConfined()) {
            Input input = InputFixture.arrow(arena.allocate(output.length, 64).copyFrom(MemorySegment.ofArray(output)));
            ArrowReader reader = ArrowInput.read(input);
            for (long chunk = 0; chunk < 3; chunk++) {
                assertThat(reader.loadNextBatch()).isTrue();
                assertThat(((BigIntVector) reader.getVectorSchemaRoot().getVector("n")).get(0))
                        .isEqualTo(10 * chunk);
            }
            assertThat(reader.loadNextBatch()).isFalse();
            assertThat(InputFixture.end(input)).isNull();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static SlotResult large(int rows, Path file) {
        return pod.run(Assignment.of("it/large", new HandlerCall("large", Map.of("QUIVER_SCRATCH", file.toString())))
                .with(Payload.arguments("[" + rows + "]")));
    }

    @Test
    void aLargeResultIsAFileOfTheJobAndAShortOneTravels(@TempDir Path scratch) {
        Path file = scratch.resolve("job/7-session-3.arrow");
        SlotResult result = large(100_000, file);
        assertThat(result.output().format()).isEqualTo(DataFormat.ARROW);
        assertThat(result.output().locator()).isTrue();
        assertThat(new String(pod.output(result), StandardCharsets.UTF_8)).isEqualTo(file.toString());
        pod.acknowledge(result);
        assertThat(file.getParent()).isDirectoryContaining(each -> each.equals(file));
        SlotResult small = large(10, scratch.resolve("other/1.arrow"));
        assertThat(small.output().locator()).isFalse();
        pod.acknowledge(small);
        assertThat(scratch.resolve("other")).doesNotExist();
    }

    @Test
    void aLateWriterLeavesNothing(@TempDir Path scratch) throws IOException {
        Files.createDirectory(scratch.resolve(".over"));
        Files.createFile(scratch.resolve(".over/job"));
        SlotResult result = large(100_000, scratch.resolve("job/1.arrow"));
        assertThat(result.reason()).isEqualTo(Reason.DO_NOT_RETRY);
        pod.acknowledge(result);
        assertThat(scratch.resolve("job")).doesNotExist();
    }

    /** In a slot of 1 MiB, by a process with a heap of 128 MiB. */
    @Test
    void resultsOf64MibAreReadInOrderOneFileAtATime(@TempDir Path scratch) {
        int rows = 4 << 20 >> 3;
        List<String> files = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            Path file = scratch.resolve("job/" + i + ".arrow");
            SlotResult result = large(rows, file);
            assertThat(result.passed()).isTrue();
            pod.acknowledge(result);
            files.add("{\"locator\":\"" + file + "\",\"format\":\"Arrow\"}");
        }
        SlotResult result = walk(files);
        assertThat(new String(pod.output(result), StandardCharsets.UTF_8))
                .isEqualTo("[" + 16 * rows + "," + 16L * rows * (rows - 1) / 2 + ",1]");
        pod.acknowledge(result);
        SlotResult gone = walk(List.of("{\"locator\":\"" + scratch + "/none.arrow\",\"format\":\"Arrow\"}"));
        assertThat(gone.reason()).isEqualTo(Reason.INPUT_INVALID);
        assertThat(gone.message()).startsWith("none.arrow: no such file");
        pod.acknowledge(gone);
    }

    private static SlotResult walk(List<String> files) {
        return pod.run(Assignment.of("it/walk", new HandlerCall("walk", Map.of("QUIVER_REFERENCES", "1")))
                .with(Payload.arguments("[[" + String.join(",", files) + "]]")));
    }

    @Test
    void aBrokenStreamIsRefusedWithWords() {
        SlotResult result = pod.run("where", Payload.arrow(new byte[] {1, 2, 3}));
        assertThat(result.reason()).isEqualTo(Reason.INPUT_INVALID);
        pod.acknowledge(result);
    }
}
