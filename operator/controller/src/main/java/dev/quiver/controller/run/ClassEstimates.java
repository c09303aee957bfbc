package dev.quiver.controller.run;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

import dev.quiver.lifecycle.history.TestNames;

/** How long each test of a class usually takes, as history told it. Immutable. */
public final class ClassEstimates {

    /** Bytes of the largest answer. */
    static final int MOST_BYTES = TestNames.MOST * (Long.BYTES + Integer.BYTES);

    private static final int TEST_BYTES = Long.BYTES + Integer.BYTES;

    private final ByteBuffer tests;
    private final Optional<Double> usualError;

    private ClassEstimates(ByteBuffer tests, Optional<Double> usualError) {
        this.tests = tests;
        this.usualError = usualError;
    }

    /**
     * Reads the answer of history: 12 bytes a test, little endian, sorted by hash.
     *
     * @param usualError of a run's estimate, as a share of it; absent where nobody knows
     * @throws IllegalArgumentException for anything else
     */
    public static ClassEstimates read(byte[] answer, Optional<Double> usualError) {
        if (answer.length % TEST_BYTES != 0 || answer.length > MOST_BYTES) {
            throw new IllegalArgumentException(
                    answer.length + " bytes, not 12 for each of at most " + TestNames.MOST + " tests");
        }
        ByteBuffer tests = ByteBuffer.wrap(answer.clone()).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = TEST_BYTES; at < answer.length; at += TEST_BYTES) {
            if (Long.compareUnsigned(tests.getLong(at - TEST_BYTES), tests.getLong(at)) >= 0) {
                throw new IllegalArgumentException("test " + at / TEST_BYTES + " is not behind the one before it");
            }
        }
        return new ClassEstimates(tests, usualError);
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
     * @param name as the class knows it, see {@link TestNames}
     * @return milliseconds, without a sign; 0 where nothing is known
     */
    public long millis(String name) {
        long hash = TestNames.hash(name);
        int from = 0;
        int to = tests();
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
