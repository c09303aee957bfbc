package dev.quiver.slots;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

import dev.quiver.slots.linux.Descriptor;
import dev.quiver.slots.linux.LinuxException;

/**
 * All that a finished trial wrote to a stream, within a bound. A longer stream is its beginning, a line with both
 * sizes, and its end. It lies in a file that has no name any more once the slot has its next task, and is gone when
 * this is closed. For one thread at a time.
 */
public final class WholeStream implements AutoCloseable {

    /** Bytes of the beginning that are kept; of a small bound its half. */
    static final long HEAD_BYTES = 1 << 20;

    private final Descriptor file;
    private final long head;
    private final byte[] mark;
    private final long oldest;
    private final long kept;

    private WholeStream(Descriptor file, long total, long limit) {
        this.file = file;
        this.kept = Math.min(total, limit);
        this.head = Math.min(HEAD_BYTES, limit / 2);
        this.mark = total > limit ? mark(total, limit) : new byte[0];
        this.oldest = total > limit ? (total - head) % (limit - head) : 0;
    }

    static byte[] mark(long total, long limit) {
        return ("\n[quiver: " + (total - limit) + " of " + total + " bytes are left out here, " + limit
                        + " are kept]\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    static Optional<WholeStream> open(Path volume, int slot, TaskStream stream, long total, int streamKib) {
        long limit = streamKib * 1024L;
        if (total <= 0 || limit <= 0) {
            return Optional.empty();
        }
        Path path = volume.resolve("task-" + slot + (stream == TaskStream.STDOUT ? ".stdout" : ".stderr"));
        try {
            Descriptor file =
                    Descriptor.open(path, Descriptor.READ_ONLY | Descriptor.NOFOLLOW | Descriptor.NONBLOCK, 0);
            Descriptor.Status status = file.status();
            if (status.regular() && status.size() == Math.min(total, limit)) {
                return Optional.of(new WholeStream(file, total, limit));
            }
            file.close();
        } catch (LinuxException gone) {
            // The disk was full, or the user's side removed it.
        }
        return Optional.empty();
    }

    /** Bytes of all of it, the line about what was left out included. */
    public long bytes() {
        return kept + mark.length;
    }

    /**
     * A part of it, which is all there.
     *
     * @param from bytes before the part
     * @param length up to the end at most
     * @return absent where somebody has made the file shorter, or it cannot be read
     */
    public Optional<byte[]> read(long from, int length) {
        byte[] part = new byte[length];
        try {
            for (int done = 0; done < length; ) {
                int count = copy(from + done, part, done);
                if (count == 0) {
                    return Optional.empty();
                }
                done += count;
            }
        } catch (LinuxException unreadable) {
            return Optional.empty();
        }
        return Optional.of(part);
    }

    /** As many bytes from a place on as lie beside each other. */
    private int copy(long at, byte[] to, int into) throws LinuxException {
        int room = to.length - into;
        if (mark.length == 0 || at < head) {
            return file(at, mark.length == 0 ? room : Math.min(room, head - at), to, into);
        }
        long behind = at - head - mark.length;
        if (behind < 0) {
            int count = (int) Math.min(room, -behind);
            System.arraycopy(mark, mark.length + (int) behind, to, into, count);
            return count;
        }
        long ring = kept - head;
        long place = (oldest + behind) % ring;
        return file(head + place, Math.min(room, ring - place), to, into);
    }

    private int file(long at, long length, byte[] to, int into) throws LinuxException {
        byte[] read = file.read(at, (int) length);
        System.arraycopy(read, 0, to, into, read.length);
        return read.length;
    }

    @Override
    public void close() {
        file.close();
    }
}
