package dev.quiver.slots;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

import dev.quiver.slots.layout.ControlDescriptor;
import dev.quiver.slots.layout.ExecDescriptor;

/** Judges one copy of an executor's record. Pure. */
final class ResultReader {
    /** Both sides read the same clock; a run longer than this is a lie. */
    static final long LONGEST_NANOS = Duration.ofDays(3660).toNanos();

    private static final long MOST_BYTES = 1L << 56;

    private ResultReader() {}

    /** The record has a field that no correct executor writes. */
    static final class RefusedException extends Exception {
        private static final long serialVersionUID = 1L;

        RefusedException(String field, long value, String allowed) {
            super(field + " is " + value + ": " + allowed);
        }
    }

    /**
     * The result in the copies of the slot's two records.
     *
     * @param passed whether the word said complete
     */
    static SlotResult read(int slot, long generation, boolean passed, byte[] control, byte[] exec)
            throws RefusedException {
        return read(slot, generation, passed, control, exec, OutcomeReader.Outcomes.NONE);
    }

    /** The same after the outcomes of a batch: the time is that of the task that has none. */
    static SlotResult read(
            int slot, long generation, boolean passed, byte[] control, byte[] exec, OutcomeReader.Outcomes before)
            throws RefusedException {
        ByteBuffer from = ByteBuffer.wrap(exec).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer ours = ByteBuffer.wrap(control).order(ByteOrder.LITTLE_ENDIAN);
        Reason reason = reason(from.getInt(ExecDescriptor.REASON), passed);
        int exit = (int) within("exit", from.getInt(ExecDescriptor.EXIT), -1, 255);
        int signal = (int) within("signal", from.getInt(ExecDescriptor.SIGNAL), 0, 64);
        if (passed && exit != 0 && ours.getInt(ControlDescriptor.KIND) == ControlDescriptor.KIND_COMMAND) {
            throw new RefusedException("exit", exit, "a complete trial has 0");
        }
        long dispatched = ours.getLong(ControlDescriptor.DISPATCHED);
        long started = from.getLong(ExecDescriptor.STARTED);
        long ended = from.getLong(ExecDescriptor.ENDED);
        if (started != 0) {
            within("started", started - dispatched, 0, LONGEST_NANOS);
            within("ended", ended - started, 0, LONGEST_NANOS);
        }
        long since = before.list().isEmpty() ? started : within("ended", before.lastEnded(), started, ended);
        return new SlotResult(
                slot,
                generation,
                passed,
                started != 0,
                reason,
                passed ? 0 : exit,
                signal,
                Duration.ofNanos(started == 0 ? 0 : started - dispatched),
                Duration.ofNanos(started == 0 ? 0 : ended - since),
                Duration.ofNanos(within("cpuNs", from.getLong(ExecDescriptor.CPU_NS), 0, Long.MAX_VALUE)),
                within("maxRss", from.getLong(ExecDescriptor.MAX_RSS), 0, MOST_BYTES),
                within("stdout bytes", from.getLong(ExecDescriptor.STDOUT), 0, MOST_BYTES),
                within("stderr bytes", from.getLong(ExecDescriptor.STDERR), 0, MOST_BYTES),
                output(from, ours.getLong(ControlDescriptor.OUT_LIMIT)),
                new Progress(
                        within("progress", from.getLong(ExecDescriptor.PROGRESS), 0, Long.MAX_VALUE),
                        within("total", from.getLong(ExecDescriptor.TOTAL), 0, Long.MAX_VALUE)),
                retryAfter(from.getLong(ExecDescriptor.RETRY_AFTER_MS), reason),
                message(from, exec));
    }

    static Reason reason(int code, boolean passed) throws RefusedException {
        Optional<Reason> reason = Reason.ofCode(code);
        if (reason.isEmpty() || passed != (reason.get() == Reason.NONE)) {
            throw new RefusedException(
                    "reason", code, passed ? "a complete trial has none" : "a failed trial has one of the list");
        }
        return reason.get();
    }

    private static SlotOutput output(ByteBuffer from, long limit) throws RefusedException {
        return output(from.getInt(ExecDescriptor.FORMAT), from.getLong(ExecDescriptor.OUT_LENGTH), limit);
    }

    static SlotOutput output(int format, long length, long limit) throws RefusedException {
        boolean locator = (format & ExecDescriptor.FORMAT_LOCATOR) != 0;
        Optional<DataFormat> known = DataFormat.ofOutput(format & ~ExecDescriptor.FORMAT_LOCATOR)
                .filter(what -> !locator || what != DataFormat.EFFECTS);
        if (known.isEmpty()) {
            throw new RefusedException("format", format, "allowed are 0 to 2, 256 more for a locator, and 4");
        }
        long most = locator ? Math.min(limit, Payload.MAX_LOCATOR_BYTES) : limit;
        long bytes = within("outLength", length, locator ? 1 : 0, most);
        return new SlotOutput(bytes, known.get(), locator);
    }

    static Optional<Duration> retryAfter(long millis, Reason reason) throws RefusedException {
        within("retryAfterMs", millis, 0, LONGEST_NANOS / 1_000_000);
        return (reason == Reason.EXCEPTION || reason == Reason.BLOCKED) && millis > 0
                ? Optional.of(Duration.ofMillis(millis))
                : Optional.empty();
    }

    private static String message(ByteBuffer from, byte[] exec) throws RefusedException {
        return message(from.getInt(ExecDescriptor.MESSAGE_LENGTH), exec, ExecDescriptor.MESSAGE);
    }

    static String message(int announced, byte[] record, int at) throws RefusedException {
        int length = (int) within("messageLength", announced, 0, ExecDescriptor.MESSAGE_BYTES);
        return length == 0 ? "" : Texts.clean(Arrays.copyOfRange(record, at, at + length));
    }

    static long within(String field, long value, long least, long most) throws RefusedException {
        if (value < least || value > most) {
            throw new RefusedException(field, value, "allowed are " + least + " to " + most);
        }
        return value;
    }
}
