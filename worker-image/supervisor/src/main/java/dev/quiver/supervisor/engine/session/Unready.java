package dev.quiver.supervisor.engine.session;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

import dev.quiver.lifecycle.arrow.SchemaMismatchException;
import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.supervisor.engine.slots.ClaimedTask;
import dev.quiver.supervisor.engine.slots.HeldBytes;
import dev.quiver.supervisor.engine.slots.PrefetchQueue;

/**
 * Claimed tasks that lack what a claim does not bring, a long result for instance. Some at a time are read, each on a thread
 * of its own, and wait for a slot afterwards. Belongs to the engine's thread.
 */
final class Unready {

    /**
     * The outcome of reading.
     *
     * @param task absent when it cannot be read
     */
    private record Answer(Optional<RunnableTask> task, String reason, String message) {}

    /** Reads at a time, where they are short. */
    private static final int AT_ONCE = 4;

    /** Bytes that are joined for one task at most: this process is small, whatever a slot may take. */
    private static final long MOST_BYTES = 4 << 20;

    private record Waiting(WorkSource source, ClaimedTask held) {}

    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final Set<ClaimedTask> reading = new LinkedHashSet<>(); // by identity: none is equal to another
    private final BooleanSupplier wanted;
    private final PrefetchQueue queue;
    private final EngineContext context;

    /**
     * Reads for a session.
     *
     * @param wanted whether the session's calls still matter
     * @param queue where a task waits once it is complete
     */
    Unready(BooleanSupplier wanted, PrefetchQueue queue, EngineContext context) {
        this.wanted = wanted;
        this.queue = queue;
        this.context = context;
    }

    /** Reads what this task of the source lacks. */
    void add(WorkSource source, ClaimedTask held) {
        waiting.add(new Waiting(source, held));
        readNext();
    }

    /** Begins reads while there is memory for them; what a task holds is counted until it is dispatched. */
    void readNext() {
        long most = Math.min(MOST_BYTES, context.slots().inputBytes());
        long memory = HeldBytes.OF_READ * most;
        while (reading.size() < AT_ONCE
                && !waiting.isEmpty()
                && context.memory().hasRoomForInput(memory)) {
            Waiting next = waiting.removeFirst();
            ClaimedTask held = next.held();
            reading.add(held);
            HeldBytes.Share share = context.memory().input(memory);
            held.holds(share);
            context.calls()
                    .untilAnswered(
                            () -> read(next.source(), held.claim().task(), most),
                            wanted,
                            answer -> answered(held, share, answer));
        }
    }

    private static Answer read(WorkSource source, RunnableTask task, long most) {
        try {
            return new Answer(Optional.of(source.complete(task, most)), "", "");
        } catch (StoreException problem) {
            throw problem;
        } catch (InputTooLargeException large) {
            return new Answer(Optional.empty(), "InputTooLarge", large.getMessage());
        } catch (SchemaMismatchException differ) {
            return new Answer(Optional.empty(), "SchemaMismatch", differ.getMessage());
        } catch (RuntimeException unreadable) {
            return new Answer(Optional.empty(), "InputInvalid", "the input cannot be read: " + unreadable.getMessage());
        }
    }

    private void answered(ClaimedTask held, HeldBytes.Share share, Answer answer) {
        if (!reading.remove(held)) {
            return;
        }
        long now = System.nanoTime();
        if (answer.task().isPresent()) {
            share.change(HeldBytes.OF_INPUT * answer.task().get().inputBytes());
            held.completed(answer.task().get(), now);
            queue.add(held);
        } else {
            share.close();
            held.owner().impossible(held, answer.reason(), answer.message(), now);
        }
        readNext();
    }

    /** All that are still being read, or are to be, which is in vain from now on. */
    List<ClaimedTask> takeAll() {
        List<ClaimedTask> all = new ArrayList<>(reading);
        waiting.forEach(each -> all.add(each.held()));
        reading.clear();
        waiting.clear();
        return all;
    }
}
