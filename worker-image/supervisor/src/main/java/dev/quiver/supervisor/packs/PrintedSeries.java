package dev.quiver.supervisor.packs;

import java.util.Optional;

import dev.quiver.lifecycle.history.PackBody;
import dev.quiver.lifecycle.history.PackPlace;
import dev.quiver.lifecycle.history.ResultFormat;
import dev.quiver.supervisor.execution.PrintedStream;

/**
 * All that a trial printed to one stream, on its way to history in packs of its own, one after the other. The stream
 * lies in a file on a disk. One pack at a time is in memory, and is made again for each time that it is sent. Belongs
 * to the spool.
 */
final class PrintedSeries {

    final String session;
    final String run;
    final PrintedStream stream;
    private final long firstNumber;
    private long stored;
    private int tries;
    private long troubledSince;
    private long notBefore = System.nanoTime();

    PrintedSeries(String session, String run, long firstNumber, PrintedStream stream) {
        this.session = session;
        this.run = run;
        this.firstNumber = firstNumber;
        this.stream = stream;
    }

    /** The number of the next pack. */
    long number() {
        return firstNumber + stored;
    }

    /** The next pack; absent where the stream cannot be read. */
    Optional<byte[]> body() {
        long from = stored * PackPlace.SERIES_BYTES;
        long end = Math.min(stream.bytes(), from + PackPlace.SERIES_BYTES);
        PackBody body = new PackBody();
        for (long at = from; at < end; at += PackBody.MEMBER_BYTES) {
            Optional<byte[]> member = stream.read(at, (int) Math.min(PackBody.MEMBER_BYTES, end - at));
            if (member.isEmpty()) {
                return Optional.empty();
            }
            body.add(ResultFormat.BYTES, member.get());
        }
        return Optional.of(body.encode());
    }

    /** The next pack is stored. Whether it was the last. */
    boolean stored() {
        stored++;
        tries = 0;
        return stored == PackPlace.packs(stream.bytes());
    }

    /** The next pack was not taken, and is to be sent again after a pause. For how long this has been so. */
    long later(long now, long longestPauseNanos) {
        if (tries++ == 0) {
            troubledSince = now;
        }
        notBefore = now + Math.min(longestPauseNanos, 1_000_000_000L << Math.min(tries, 30));
        return now - troubledSince;
    }

    /** Sent again at once. */
    void hurry() {
        notBefore = System.nanoTime();
    }

    /** Nanoseconds until its next pack may be sent. */
    long pause(long now) {
        return notBefore - now;
    }
}
