package dev.quiver.history.rig;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** A timeline as a client reads it, by its description alone. */
public record Columns(
        boolean cells,
        double first,
        double last,
        double from,
        double to,
        double trials,
        double leftOut,
        double[] starts,
        double[] tasks,
        double[] workers,
        long[] lengths,
        long[] laneStarts,
        int[] trial,
        int[] status,
        int[] slots) {

    /** Reads the bytes; what is behind the last column is a fault. */
    public static Columns of(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        byte[] mark = new byte[4];
        in.get(mark);
        if (!new String(mark, StandardCharsets.US_ASCII).equals("QTL1")) {
            throw new IllegalArgumentException("no timeline");
        }
        boolean cells = in.getInt() == 1;
        int lanes = in.getInt();
        int n = in.getInt();
        Columns columns = new Columns(
                cells,
                in.getDouble(),
                in.getDouble(),
                in.getDouble(),
                in.getDouble(),
                in.getDouble(),
                in.getDouble(),
                doubles(in, n),
                doubles(in, n),
                doubles(in, lanes),
                numbers(in, n),
                numbers(in, lanes + 1),
                small(in, n, 2),
                small(in, n, 1),
                small(in, lanes, 1));
        if (in.hasRemaining()) {
            throw new IllegalArgumentException(in.remaining() + " bytes too many");
        }
        return columns;
    }

    private static double[] doubles(ByteBuffer in, int n) {
        double[] column = new double[n];
        for (int i = 0; i < n; i++) {
            column[i] = in.getDouble();
        }
        return column;
    }

    private static long[] numbers(ByteBuffer in, int n) {
        long[] column = new long[n];
        for (int i = 0; i < n; i++) {
            column[i] = in.getInt() & 0xffff_ffffL;
        }
        return column;
    }

    private static int[] small(ByteBuffer in, int n, int bytes) {
        int[] column = new int[n];
        for (int i = 0; i < n; i++) {
            column[i] = bytes == 2 ? in.getShort() & 0xffff : in.get() & 0xff;
        }
        return column;
    }
}
