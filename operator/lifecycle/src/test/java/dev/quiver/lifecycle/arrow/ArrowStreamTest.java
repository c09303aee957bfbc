package dev.quiver.lifecycle.arrow;

import static dev.quiver.lifecycle.arrow.ArrowBytes.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.util.Arrays;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;

class ArrowStreamTest {

    private static byte[] joined(byte[]... streams) {
        ArrowStream.Joining joining = new ArrowStream.Joining();
        for (int i = 0; i < streams.length; i++) {
            joining.add("chunk " + i, ArrowStream.of(streams[i]));
        }
        return joining.take();
    }

    @Test
    void isCutIntoItsBatchesAndJoinedAgain() {
        byte[] whole = numbers("n", new long[] {1, 2}, new long[] {3}, new long[] {});
        ArrowStream stream = ArrowStream.of(whole);
        assertThat(stream.rows()).isEqualTo(3);
        assertThat(stream.schema().text()).isEqualTo("n: int64");
        List<byte[]> batches = stream.batches();
        assertThat(batches)
                .containsExactly(
                        numbers("n", new long[] {1, 2}), numbers("n", new long[] {3}), numbers("n", new long[] {}));
        assertThat(joined(batches.toArray(byte[][]::new))).isEqualTo(whole);
        assertThat(ArrowBytes.read(whole)).containsExactly(new long[] {1, 2}, new long[] {3}, new long[] {});
    }

    @Test
    void givesEachBatchTheDictionariesThatItNeeds() {
        byte[] whole = ArrowBytes.begin("n", 64, true)
                .dictionary(0, false, 10, 20)
                .batch(0)
                .dictionary(0, true, 30)
                .batch(2)
                .dictionary(0, false, 40)
                .batch(0)
                .end();
        assertThat(ArrowStream.of(whole).schema().text()).isEqualTo("n: dictionary<0: int64, int32>");
        assertThat(ArrowStream.of(whole).batches())
                .containsExactly(
                        ArrowBytes.begin("n", 64, true)
                                .dictionary(0, false, 10, 20)
                                .batch(0)
                                .end(),
                        ArrowBytes.begin("n", 64, true)
                                .dictionary(0, false, 10, 20)
                                .dictionary(0, true, 30)
                                .batch(2)
                                .end(),
                        ArrowBytes.begin("n", 64, true)
                                .dictionary(0, false, 40)
                                .batch(0)
                                .end());
    }

    @Test
    void beginsAnotherStreamOfTheSameSchemaWhenOneWasTaken() {
        byte[] one = numbers("n", new long[] {1});
        ArrowStream.Joining joining = new ArrowStream.Joining();
        joining.add("a", ArrowStream.of(one));
        assertThat(joining.take()).isEqualTo(one);
        assertThat(joining.isEmpty()).isTrue();
        joining.add("b", ArrowStream.of(one));
        assertThat(joining.take()).isEqualTo(one);
        ArrowStream other = ArrowStream.of(numbers("m", new long[] {1}));
        assertThatThrownBy(() -> joining.add("c", other))
                .hasMessageContaining("a has the schema (n: int64), c has (m: int64)");
    }

    @Test
    void refusesColumnsThatDifferWithBothSchemas() {
        assertThatThrownBy(() -> joined(
                        numbers("n", new long[] {1}),
                        numbers("n", new long[] {1}),
                        ArrowBytes.begin("m", 32, false).end()))
                .isInstanceOf(SchemaMismatchException.class)
                .hasMessage(
                        "chunk 0 has the schema (n: int64), chunk 2 has (m: int32): results that are joined must have"
                                + " one schema");
    }

    @Test
    void refusesWhatIsNoStream() {
        byte[] whole = numbers("n", new long[] {1});
        assertThatThrownBy(() -> ArrowStream.of(new byte[0])).hasMessageContaining("it is empty");
        assertThatThrownBy(() -> ArrowStream.of("text, text".getBytes(java.nio.charset.StandardCharsets.US_ASCII)))
                .hasMessageContaining("no message begins at byte 0");
        assertThatThrownBy(() ->
                        ArrowStream.of(joined(whole, whole).clone()).batches().clear())
                .isInstanceOf(UnsupportedOperationException.class);
        for (int length = 8; length < whole.length - 8; length += 8) {
            byte[] cut = Arrays.copyOf(whole, length);
            try {
                assertThat(ArrowStream.of(cut).rows()).isZero(); // the schema alone is a stream, too
            } catch (IllegalArgumentException refused) {
                assertThat(refused).hasMessageContaining("not an Arrow stream");
            }
        }
    }

    @Test
    void noBytesBringAnythingButARefusal() {
        byte[] whole = numbers("numbers", new long[] {1, 2, 3}, new long[] {4});
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            byte[] broken = whole.clone();
            for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
                broken[random.nextInt(broken.length)] = (byte) random.nextInt();
            }
            try {
                ArrowStream stream = ArrowStream.of(broken);
                assertThat(stream.batches()).hasSizeLessThanOrEqualTo(2);
            } catch (IllegalArgumentException refused) {
                assertThat(refused.getMessage()).isNotBlank();
            } catch (RuntimeException other) {
                fail("seed 7, round " + i, other);
            }
        }
    }
}
