package dev.quiver.slots;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.quiver.slots.ResultReader.RefusedException;
import dev.quiver.slots.layout.ExecDescriptor;

/** Judges one copy of a batch's outcomes. Pure. */
final class OutcomeReader {
    private OutcomeReader() {}

    /**
     * The outcomes of an executor about a batch.
     *
     * @param list of the first tasks, in their order
     * @param whole whether one call had taken all the others
     * @param lastEnded when the last of them ended, monotonic nanoseconds
     */
    record Outcomes(List<Outcome> list, boolean whole, long lastEnded) {
        static final Outcomes NONE = new Outcomes(List.of(), false, 0);
    }

    /** How many outcomes are there; the executor is believed only within the batch. */
    static int count(int done, int tasks, boolean passed) throws RefusedException {
        int most = passed ? tasks : tasks - 1;
        return (int) ResultReader.within("done", done & ExecDescriptor.DONE_MASK, passed ? 1 : 0, most);
    }

    /**
     * The outcomes in a copy of the table.
     *
     * @param dispatched when the slot was given the tasks
     * @param started when the first task began
     * @param limit bytes of the slot's output
     */
    static Outcomes read(byte[] table, int count, boolean whole, long dispatched, long started, long limit)
            throws RefusedException {
        if (count > 0) {
            ResultReader.within("started", started - dispatched, 0, ResultReader.LONGEST_NANOS);
        }
        ByteBuffer from = ByteBuffer.wrap(table).order(ByteOrder.LITTLE_ENDIAN);
        List<Outcome> outcomes = new ArrayList<>(count);
        long before = started;
        for (int i = 0; i < count; i++) {
            int at = i * ExecDescriptor.OUTCOME_STRIDE;
            long ended = from.getLong(at + ExecDescriptor.OUTCOME_ENDED);
            ResultReader.within("ended of an outcome", ended - before, 0, ResultReader.LONGEST_NANOS);
            outcomes.add(read(table, from, at, Duration.ofNanos(ended - before), limit));
            before = ended;
        }
        return new Outcomes(whole ? evenly(outcomes, before - started) : List.copyOf(outcomes), whole, before);
    }

    private static Outcome read(byte[] table, ByteBuffer from, int at, Duration ran, long limit)
            throws RefusedException {
        int code = from.getInt(at + ExecDescriptor.OUTCOME_REASON);
        Reason reason = ResultReader.reason(code, code == 0);
        long offset = ResultReader.within(
                "outOffset of an outcome", from.getLong(at + ExecDescriptor.OUTCOME_OUT_OFFSET), 0, limit);
        SlotOutput output = ResultReader.output(
                from.getInt(at + ExecDescriptor.OUTCOME_FORMAT),
                from.getLong(at + ExecDescriptor.OUTCOME_OUT_LENGTH),
                limit - offset);
        return new Outcome(
                reason,
                ran,
                offset,
                output,
                ResultReader.retryAfter(from.getLong(at + ExecDescriptor.OUTCOME_RETRY_AFTER_MS), reason),
                ResultReader.message(
                        from.getInt(at + ExecDescriptor.OUTCOME_MESSAGE_LENGTH),
                        table,
                        at + ExecDescriptor.OUTCOME_MESSAGE));
    }

    /** One call ran all of them: its time is theirs in equal parts. */
    private static List<Outcome> evenly(List<Outcome> outcomes, long nanos) {
        return outcomes.stream()
                .map(outcome -> new Outcome(
                        outcome.reason(),
                        Duration.ofNanos(nanos / outcomes.size()),
                        outcome.outputOffset(),
                        outcome.output(),
                        outcome.retryAfter(),
                        outcome.message()))
                .toList();
    }
}
