package dev.quiver.slots;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.quiver.slots.ResultReader.RefusedException;
import dev.quiver.slots.layout.ExecDescriptor;

/** Judges one copy of a batch's verdicts. Pure. */
final class VerdictReader {
    private VerdictReader() {}

    /**
     * The verdicts of an executor about a batch.
     *
     * @param list of the first tasks, in their order
     * @param whole whether one call had taken all the others
     * @param lastEnded when the last of them ended, monotonic nanoseconds
     */
    record Verdicts(List<Verdict> list, boolean whole, long lastEnded) {
        static final Verdicts NONE = new Verdicts(List.of(), false, 0);
    }

    /** How many verdicts are there; the executor is believed only within the batch. */
    static int count(int done, int tasks, boolean passed) throws RefusedException {
        int most = passed ? tasks : tasks - 1;
        return (int) ResultReader.within("done", done & ExecDescriptor.DONE_MASK, passed ? 1 : 0, most);
    }

    /**
     * The verdicts in a copy of the table.
     *
     * @param handedOver when the slot was given the tasks
     * @param started when the first task began
     * @param limit bytes of the slot's output
     */
    static Verdicts read(byte[] table, int count, boolean whole, long handedOver, long started, long limit)
            throws RefusedException {
        if (count > 0) {
            ResultReader.within("started", started - handedOver, 0, ResultReader.LONGEST_NANOS);
        }
        ByteBuffer from = ByteBuffer.wrap(table).order(ByteOrder.LITTLE_ENDIAN);
        List<Verdict> verdicts = new ArrayList<>(count);
        long before = started;
        for (int i = 0; i < count; i++) {
            int at = i * ExecDescriptor.VERDICT_STRIDE;
            long ended = from.getLong(at + ExecDescriptor.VERDICT_ENDED);
            ResultReader.within("ended of a verdict", ended - before, 0, ResultReader.LONGEST_NANOS);
            verdicts.add(read(table, from, at, Duration.ofNanos(ended - before), limit));
            before = ended;
        }
        return new Verdicts(whole ? evenly(verdicts, before - started) : List.copyOf(verdicts), whole, before);
    }

    private static Verdict read(byte[] table, ByteBuffer from, int at, Duration ran, long limit)
            throws RefusedException {
        int code = from.getInt(at + ExecDescriptor.VERDICT_REASON);
        Reason reason = ResultReader.reason(code, code == 0);
        long offset = ResultReader.within(
                "outOffset of a verdict", from.getLong(at + ExecDescriptor.VERDICT_OUT_OFFSET), 0, limit);
        SlotOutput output = ResultReader.output(
                from.getInt(at + ExecDescriptor.VERDICT_FORMAT),
                from.getLong(at + ExecDescriptor.VERDICT_OUT_LENGTH),
                limit - offset);
        return new Verdict(
                reason,
                ran,
                offset,
                output,
                ResultReader.retryAfter(from.getLong(at + ExecDescriptor.VERDICT_RETRY_AFTER_MS), reason),
                ResultReader.message(
                        from.getInt(at + ExecDescriptor.VERDICT_MESSAGE_LENGTH),
                        table,
                        at + ExecDescriptor.VERDICT_MESSAGE));
    }

    /** One call ran all of them: its time is theirs in equal parts. */
    private static List<Verdict> evenly(List<Verdict> verdicts, long nanos) {
        return verdicts.stream()
                .map(verdict -> new Verdict(
                        verdict.reason(),
                        Duration.ofNanos(nanos / verdicts.size()),
                        verdict.outputOffset(),
                        verdict.output(),
                        verdict.retryAfter(),
                        verdict.message()))
                .toList();
    }
}
