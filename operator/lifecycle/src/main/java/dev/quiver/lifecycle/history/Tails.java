package dev.quiver.lifecycle.history;

import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** Deflates and inflates tails of output and names, raw deflate, within bounds. Stateless. */
public final class Tails {

    private static final int LEVEL = 1;

    private Tails() {}

    /**
     * The last bytes of an output, deflated.
     *
     * @param most bytes that are kept of the end, {@link HistoryBounds#TAIL_BYTES} for a trial
     */
    public static byte[] pack(byte[] output, int most) {
        int from = Math.max(0, output.length - most);
        return deflate(output, from, output.length - from);
    }

    /** All bytes, deflated. */
    public static byte[] pack(byte[] bytes) {
        return deflate(bytes, 0, bytes.length);
    }

    private static byte[] deflate(byte[] bytes, int from, int length) {
        if (length == 0) {
            return new byte[0];
        }
        Deflater deflater = new Deflater(LEVEL, true);
        try {
            deflater.setInput(bytes, from, length);
            deflater.finish();
            // The deflate format itself bounds the growth of what cannot be made smaller: 5 bytes a block of 16 KiB.
            byte[] packed = new byte[length + length / 1024 + 64];
            int count = deflater.deflate(packed);
            return Arrays.copyOf(packed, count);
        } finally {
            deflater.end();
        }
    }

    /**
     * Inflates what {@link #pack} deflated; never more than {@code most} bytes, whatever was forged.
     *
     * @throws MalformedEntryException for what is no deflated data, or inflates to more
     */
    public static byte[] unpack(byte[] packed, int most) throws MalformedEntryException {
        if (packed.length == 0) {
            return packed;
        }
        Inflater inflater = new Inflater(true);
        try {
            inflater.setInput(packed);
            byte[] bytes = new byte[Math.min(most + 1, Math.max(64, packed.length * 4))];
            int count = 0;
            while (!inflater.finished()) {
                if (count == bytes.length) {
                    if (count > most) {
                        throw new MalformedEntryException("deflated data holds more than " + most + " bytes");
                    }
                    bytes = Arrays.copyOf(bytes, (int) Math.min(most + 1L, bytes.length * 2L));
                }
                int more = inflater.inflate(bytes, count, bytes.length - count);
                if (more == 0 && !inflater.finished()) {
                    throw new MalformedEntryException("deflated data ends too soon");
                }
                count += more;
            }
            if (count > most) {
                throw new MalformedEntryException("deflated data holds more than " + most + " bytes");
            }
            return Arrays.copyOf(bytes, count);
        } catch (DataFormatException e) {
            throw new MalformedEntryException("no deflated data: " + e.getMessage());
        } finally {
            inflater.end();
        }
    }
}
