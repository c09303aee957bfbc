package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.slots.layout.ControlDescriptor;
import dev.quiver.slots.layout.ExecDescriptor;

/**
 * Records made at random, from nothing or from golden ones with some bytes changed. All that the supervisor reads of them
 * is inside its bounds, or refused in words. No other error is ever thrown.
 */
class GeneratedRecordsTest {
    private static final int RECORDS = 100_000;
    private static final long[] EDGES = {0, 1, -1, 255, 256, Integer.MAX_VALUE, 1L << 56, Long.MAX_VALUE, Long.MIN_VALUE
    };

    private static void generate(long seed, String golden, Consumer<byte[]> check) {
        Random random = new Random(seed);
        byte[] model = Golden.bytes(golden);
        for (int i = 0; i < RECORDS; i++) {
            byte[] bytes = model.clone();
            if (random.nextInt(4) == 0) {
                random.nextBytes(bytes);
            } else {
                ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
                for (int changes = random.nextInt(1, 5); changes > 0; changes--) {
                    int at = random.nextInt(bytes.length / 4 - 1) * 4;
                    if (random.nextBoolean()) {
                        words.putLong(at, EDGES[random.nextInt(EDGES.length)]);
                    } else {
                        bytes[at + random.nextInt(4)] = (byte) random.nextInt();
                    }
                }
            }
            check.accept(bytes);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void readsOrRefusesEveryResult(long seed) {
        byte[] control = Golden.bytes("handler-control-slot");
        int[] read = new int[1];
        generate(seed, seed == 1 ? "handler-exec-slot" : "handler-exec-slot-passed", exec -> {
            try {
                SlotResult result = ResultReader.read(0, 12, seed == 2, control, exec);
                read[0]++;
                assertThat(result.output().bytes()).isBetween(0L, 65536L);
                assertThat(result.exitCode()).isBetween(-1, 255);
                assertThat(result.ran()).isBetween(Duration.ZERO, Duration.ofDays(3660));
                assertThat(result.waited()).isBetween(Duration.ZERO, Duration.ofDays(3660));
                assertThat(result.progress().done()).isNotNegative();
                assertThat(result.retryAfter().orElse(Duration.ZERO)).isBetween(Duration.ZERO, Duration.ofDays(3660));
                assertThat(result.message().codePoints().filter(c -> c < ' ' && c != '\n' && c != '\t'))
                        .isEmpty();
                assertThat(LastWords.of(result, 512, FileRead.Gone::new, FileRead.Gone::new)
                                .getBytes(StandardCharsets.UTF_8))
                        .hasSizeLessThanOrEqualTo(512);
            } catch (ResultReader.RefusedException e) {
                assertThat(e.getMessage()).isNotBlank().hasSizeLessThan(200);
            }
        });
        assertThat(read[0]).as("some are read").isBetween(RECORDS / 100, RECORDS);
    }

    @ParameterizedTest
    @ValueSource(longs = {3})
    void makesAPacketOrNothingOfEveryPairOfRecords(long seed) {
        byte[] control = Golden.bytes("handler-control-slot");
        generate(seed, "handler-exec-slot", exec -> {
            Optional<Packet> packet = Snapshot.of(control, exec, 1L << 60);
            packet.ifPresent(made -> assertThat(PacketCodec.encode(made)).hasSize(256));
        });
        generate(seed, "handler-packet", bytes -> {
            try {
                assertThat(PacketCodec.decode(bytes).state()).isNotNull();
            } catch (IllegalArgumentException e) {
                assertThat(e.getMessage()).isNotBlank();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {4})
    void judgesEveryPairOfWords(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < RECORDS; i++) {
            long s = random.nextBoolean() ? random.nextLong() : random.nextLong(0, 2048);
            long u = random.nextBoolean() ? s + random.nextLong(-300, 300) : random.nextLong();
            if (SlotRules.view(s, u) instanceof SlotView.Impossible(String text)) {
                assertThat(text).hasSizeLessThan(200);
            }
            assertThat(SlotRules.mayFollow(u, u)).isTrue();
            assertThat(SlotRules.afterAgentReturned(s, Optional.of(u), s)).isNotNull();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {5})
    void readsOrRefusesEveryListOfHandlers(long seed) {
        int names = ExecDescriptor.HANDLERS_AT - ExecDescriptor.HANDLERS_SEQUENCE_AT;
        generate(seed, "handlers-area", area -> {
            try {
                byte[] list = new byte[area.length - names];
                System.arraycopy(area, names, list, 0, list.length);
                HandlerNames.read(list)
                        .forEach(name -> assertThat(HandlerNames.fault(name)).isEmpty());
            } catch (HandlerNames.RefusedException e) {
                assertThat(e.getMessage()).isNotBlank().hasSizeLessThan(200);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {6})
    void goesOnWithNoControlThatIsNotWhole(long seed) {
        Random random = new Random(seed);
        Geometry geometry = new Geometry(2, 4096, 4096);
        for (int i = 0; i < 1000; i++) {
            byte[] bytes = new byte[(int) geometry.controlBytes()];
            random.nextBytes(bytes);
            ByteBuffer.wrap(bytes)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(ControlDescriptor.MAGIC_AT, ControlDescriptor.MAGIC);
            MemorySegment control = MemorySegment.ofBuffer(
                    ByteBuffer.allocateDirect(bytes.length).put(bytes).flip());
            assertThat(ControlCheck.fault(control, geometry)).isPresent();
        }
    }
}
