package dev.quiver.sdk.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.junit.jupiter.api.Test;

import dev.quiver.sdk.Input;
import dev.quiver.sdk.InputFixture;
import dev.quiver.sdk.InputInvalidException;

/** Tables in and out without a slot. */
class ArrowTest {
    private static final int ROWS = 1000;

    /** Numbers, the third of them missing if so wished, and texts. */
    private static VectorSchemaRoot table(BufferAllocator allocator, boolean withNulls) {
        BigIntVector x = new BigIntVector("x", allocator);
        VarCharVector s = new VarCharVector("s", allocator);
        for (int i = 0; i < ROWS; i++) {
            if (withNulls && i == 2) {
                x.setNull(i);
            } else {
                x.setSafe(i, i);
            }
            s.setSafe(i, ("text " + i).getBytes(StandardCharsets.UTF_8));
        }
        VectorSchemaRoot root = new VectorSchemaRoot(List.of(x, s));
        root.setRowCount(ROWS);
        return root;
    }

    private static byte[] stream(boolean withNulls) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ArrowOutput output = ArrowOutput.of(table(ArrowMemory.allocator(), withNulls))) {
            long length = output.length();
            output.writeTo(Channels.newChannel(bytes));
            assertThat((long) bytes.size()).isEqualTo(length);
        }
        return bytes.toByteArray();
    }

    private static MemorySegment mapped(Arena arena, byte[] stream) {
        MemorySegment memory = arena.allocate(stream.length, 64);
        return memory.copyFrom(MemorySegment.ofArray(stream));
    }

    private static boolean lies(ArrowBuf buffer, MemorySegment memory) {
        return buffer.memoryAddress() >= memory.address()
                && buffer.memoryAddress() + buffer.capacity() <= memory.address() + memory.byteSize();
    }

    @Test
    void everyBufferThatTheStreamHasLiesInTheMapping() throws IOException {
        for (boolean withNulls : new boolean[] {false, true}) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment memory = mapped(arena, stream(withNulls));
                Input input = InputFixture.arrow(memory);
                ArrowReader reader = ArrowInput.read(input);
                assertThat(reader.loadNextBatch()).isTrue();
                VectorSchemaRoot root = reader.getVectorSchemaRoot();
                for (FieldVector vector : root.getFieldVectors()) {
                    List<ArrowBuf> data = vector.getFieldBuffers();
                    boolean validityIsThere = withNulls && vector.getName().equals("x");
                    assertThat(data.subList(validityIsThere ? 0 : 1, data.size()))
                            .allMatch(b -> lies(b, memory));
                    assertThat(vector.getNullCount()).isEqualTo(validityIsThere ? 1 : 0);
                }
                BigIntVector x = (BigIntVector) root.getVector("x");
                assertThat(x.get(999)).isEqualTo(999);
                assertThat(x.isNull(2)).isEqualTo(withNulls);
                assertThat(((VarCharVector) root.getVector("s")).getObject(7)).hasToString("text 7");
                assertThat(reader.loadNextBatch()).isFalse();
                assertThat(InputFixture.end(input)).isNull();
            }
        }
    }

    @Test
    void readingDoesNotAllocateWithTheRows() throws IOException {
        byte[] stream = stream(false);
        allocatedWhileReading(stream); // the shared ones are made once
        long before = ArrowMemory.allocator().getAllocatedMemory();
        assertThat(allocatedWhileReading(stream)).isLessThan(before + stream.length); // its body is accounted for
        assertThat(ArrowMemory.allocator().getAllocatedMemory()).isEqualTo(before);
    }

    private static long allocatedWhileReading(byte[] stream) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            Input input = InputFixture.arrow(mapped(arena, stream));
            ArrowReader reader = ArrowInput.read(input);
            assertThat(reader.loadNextBatch()).isTrue();
            long allocated = ArrowMemory.allocator().getAllocatedMemory();
            assertThat(InputFixture.end(input)).isNull();
            return allocated;
        }
    }

    @Test
    void aBufferThatIsKeptIsFound() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            Input input = InputFixture.arrow(mapped(arena, stream(false)));
            ArrowReader reader = ArrowInput.read(input);
            reader.loadNextBatch();
            ArrowBuf kept = reader.getVectorSchemaRoot().getVector("x").getDataBuffer();
            kept.getReferenceManager().retain();
            assertThat(InputFixture.end(input)).hasMessageContaining("still held");
            kept.getReferenceManager().release();
        }
    }

    @Test
    void aVectorThatIsMovedAwayAndClosedIsFine() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            Input input = InputFixture.arrow(mapped(arena, stream(false)));
            try (ArrowReader reader = ArrowInput.read(input)) { // a handler may close it, too
                reader.loadNextBatch();
                var transfer = reader.getVectorSchemaRoot().getVector("x").getTransferPair(ArrowMemory.allocator());
                transfer.transfer();
                transfer.getTo().close();
            }
            assertThat(InputFixture.end(input)).isNull();
        }
    }

    @Test
    void brokenStreamsAreRefusedAndNothingIsHeld() throws IOException {
        byte[] whole = stream(true);
        Random random = new Random(7);
        int refused = 0;
        for (int round = 0; round < 1000; round++) {
            byte[] broken = whole.clone();
            if (round % 3 == 0) {
                broken = Arrays.copyOf(broken, random.nextInt(broken.length));
            } else {
                for (int flips = 0; flips < 4; flips++) {
                    broken[random.nextInt(round % 3 == 1 ? 700 : broken.length)] ^= (byte) (1 << random.nextInt(8));
                }
            }
            try (Arena arena = Arena.ofConfined()) {
                Input input = InputFixture.arrow(mapped(arena, broken));
                try {
                    ArrowReader reader = ArrowInput.read(input);
                    while (reader.loadNextBatch()) {
                        assertThat(reader.getVectorSchemaRoot().getRowCount()).isNotNegative();
                    }
                } catch (InputInvalidException e) {
                    refused++;
                }
                assertThat(InputFixture.end(input)).as("round " + round).isNull();
            }
        }
        assertThat(refused).isGreaterThan(300);
    }

    @Test
    void refusesDictionariesInsteadOfLosingThem() {
        FieldType type = new FieldType(true, new ArrowType.Int(32, true), new DictionaryEncoding(1, false, null));
        Field field = new Field("coded", type, null);
        try (VectorSchemaRoot root = VectorSchemaRoot.create(
                new org.apache.arrow.vector.types.pojo.Schema(List.of(field)), ArrowMemory.allocator())) {
            assertThatThrownBy(() -> ArrowOutput.of(root)).hasMessageContaining("column coded");
        }
    }

    @Test
    void anAllocatorOfItsOwnKeepsItsLimit() {
        try (BufferAllocator small = ArrowMemory.newAllocator(1 << 20)) {
            assertThatThrownBy(() -> small.buffer(2 << 20)).hasMessageContaining("Unable to allocate");
            small.buffer(1000).close();
            assertThat(small.getAllocatedMemory()).isZero();
        }
    }
}
