package dev.quiver.lifecycle.history;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;

/** How long each test of a class usually takes, as history told it. Immutable. */
public final class TestTimes {

    /** Bytes of one test in an answer. */
    public static final int TEST_BYTES = Long.BYTES + Integer.BYTES;

    /** Bytes of the largest answer. */
    public static final int MOST_BYTES = TestNames.MOST * TEST_BYTES;

    private static final int BUCKET_BITS = 16;

    private final ByteBuffer tests;
    /** By the first bits of a hash: the first test whose hash does not begin with less. */
    private final int[] begins;

    private final Optional<Double> usualError;

    private TestTimes(ByteBuffer tests, int[] begins, Optional<Double> usualError) {
        this.tests = tests;
        this.begins = begins;
        this.usualError = usualError;
    }

    /**
     * Reads the answer of history: 12 bytes a test, little endian, sorted by hash.
     *
     * @param usualError of a run's estimate, as a share of it; absent where nobody knows
     * @throws IllegalArgumentException for anything else
     */
    public static TestTimes read(byte[] answer, Optional<Double> usualError) {
        if (answer.length % TEST_BYTES != 0 || answer.length > MOST_BYTES) {
            throw new IllegalArgumentException(
                    answer.length + " bytes, not 12 for each of at most " + TestNames.MOST + " tests");
        }
        ByteBuffer tests = ByteBuffer.wrap(answer.clone()).order(ByteOrder.LITTLE_ENDIAN);
        int[] begins = new int[(1 << BUCKET_BITS) + 1];
        int bucket = 0;
        for (int at = 0; at < answer.length; at += TEST_BYTES) {
            long hash = tests.getLong(at);
            if (at > 0 && Long.compareUnsigned(tests.getLong(at - TEST_BYTES), hash) >= 0) {
                throw new IllegalArgumentException("test " + at / TEST_BYTES + " is not behind the one before it");
            }
            while (bucket <= bucket(hash)) {
                begins[bucket++] = at / TEST_BYTES;
            }
        }
        Arrays.fill(begins, bucket, begins.length, answer.length / TEST_BYTES);
        return new TestTimes(tests, begins, usualError);
    }

    private static int bucket(long hash) {
        return (int) (hash >>> Long.SIZE - BUCKET_BITS);
    }

    /** How many tests are known. */
    public int tests() {
        return tests.capacity() / TEST_BYTES;
    }

    /** The usual error of a run's estimate, as a share of it. */
    public Optional<Double> usualError() {
        return usualError;
    }

    /**
     * The usual time of a test.
     *
     * @param hash of its name as the class knows it, see {@link TestNames}
     * @return milliseconds, without a sign; 0 where nothing is known
     */
    public long millis(long hash) {
        int from = begins[bucket(hash)];
        int to = begins[bucket(hash) + 1];
        while (from < to) {
            int middle = (from + to) >>> 1;
            int order = Long.compareUnsigned(tests.getLong(middle * TEST_BYTES), hash);
            if (order == 0) {
                return Integer.toUnsignedLong(tests.getInt(middle * TEST_BYTES + Long.BYTES));
            }
            from = order < 0 ? middle + 1 : from;
            to = order < 0 ? to : middle;
        }
        return 0;
    }
}
