package dev.quiver.history.store;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;

import dev.quiver.lifecycle.history.TestNames;
import dev.quiver.lifecycle.history.TestTimes;

/**
 * The usual times of a class' tests, for whoever plans a run, which {@link TestTimes} reads: 12 bytes a test, little endian. They are the hash of its
 * name ({@link TestNames#hash}), 64 bits, and its milliseconds from 1 on, 32 bits. They are sorted by hash, without a
 * sign, each hash once. A class of more tests than {@link TestNames#MOST} has those that ran last.
 */
public final class ClassEstimates {

    /** Bytes of memory that the largest answer takes while it is made, its own among them. */
    public static final int WORK_BYTES = 4 * TestTimes.MOST_BYTES;

    private static final int FETCHED = 4096;
    /** Makes the order of numbers with a sign that of numbers without. */
    private static final long SIGN = Long.MIN_VALUE;

    private static final double MOST_MILLIS = 0xffff_ffffL;

    private long[] hashes = new long[64];
    private double[] micros = new double[64];
    private int size;

    private ClassEstimates() {}

    /** The times of a class that is there; empty where none of its tests passed. */
    public static byte[] of(Connection connection, ClassScope scope, String name) throws SQLException {
        ClassEstimates estimates = new ClassEstimates();
        try (PreparedStatement question = connection.prepareStatement("SELECT tests.name, tests.log_mean FROM tests"
                + " JOIN classes ON classes.id = tests.class_id WHERE classes.namespace = ? AND classes.name = ?"
                + " AND tests.n > 0 ORDER BY tests.last_run DESC, tests.name LIMIT " + TestNames.MOST)) {
            Rows.bind(question, scope.stored(), name);
            question.setFetchSize(FETCHED);
            try (ResultSet rows = question.executeQuery()) {
                while (rows.next()) {
                    estimates.add(TestNames.hash(rows.getString(1)), rows.getDouble(2));
                }
            }
        }
        return estimates.packed();
    }

    private void add(long hash, double logMicros) {
        if (size == hashes.length) {
            hashes = Arrays.copyOf(hashes, 2 * size);
            micros = Arrays.copyOf(micros, 2 * size);
        }
        hashes[size] = hash ^ SIGN;
        micros[size++] = logMicros;
    }

    private byte[] packed() {
        long[] sorted = Arrays.stream(hashes, 0, size).sorted().distinct().toArray();
        int[] millis = new int[sorted.length];
        for (int i = 0; i < size; i++) {
            millis[Arrays.binarySearch(sorted, hashes[i])] =
                    (int) Math.round(Math.clamp(UsualTime.millis(micros[i]), 1, MOST_MILLIS));
        }
        ByteBuffer packed =
                ByteBuffer.allocate(sorted.length * TestTimes.TEST_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < sorted.length; i++) {
            packed.putLong(sorted[i] ^ SIGN).putInt(millis[i]);
        }
        return packed.array();
    }
}
