package dev.quiver.supervisor.engine.session;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import dev.quiver.lifecycle.arrow.SchemaMismatchException;
import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.supervisor.engine.slots.ClaimedTask;

/**
 * Claimed tasks that lack what a claim does not bring, a long result for instance. Some at a time are read, each on a thread
 * of its own, and wait for a slot afterwards. Belongs to the engine's thread.
 */
final class Unready {

    /**
     * What reading brought.
     *
     * @param task absent when it cannot be read
     */
    private record Answer(Optional<RunnableTask> task, String reason, String message) {}

    /** Reads at a time, where they are short. */
    private static final int AT_ONCE = 4;

    /** Bytes of memory that all reads may hold together: a third of the heap. */
    private static final long MEMORY = 32 << 20;

    /** A read holds the parts and, once joined, the whole; each of their characters may take two bytes. */
    private static final int COPIES = 4;

    /** Bytes that are joined for one task at most: this process is small, whatever a slot may take. */
    private static final long MOST_BYTES = 4 << 20;

    private record Waiting(WorkSource source, ClaimedTask held) {}

    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final Set<ClaimedTask> reading = new LinkedHashSet<>(); // by identity: none is equal to another
    private final SessionWork work;
    private final EngineContext context;

    Unready(SessionWork work, EngineContext context) {
        this.work = work;
        this.context = context;
    }

    /** Reads what this task of the source lacks. */
    void add(WorkSource source, ClaimedTask held) {
        waiting.add(new Waiting(source, held));
        readNext();
    }

    private void readNext() {
        long most = Math.min(MOST_BYTES, context.slots().inputBytes());
        int atOnce = Math.clamp(MEMORY / (COPIES * Math.max(1, most)), 1, AT_ONCE);
        while (reading.size() < atOnce && !waiting.isEmpty()) {
            Waiting next = waiting.removeFirst();
            ClaimedTask held = next.held();
            reading.add(held);
            context.calls()
                    .untilAnswered(
                            () -> read(next.source(), held.claim().task(), most),
                            work::wanted,
                            answer -> answered(held, answer));
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

    private void answered(ClaimedTask held, Answer answer) {
        if (!reading.remove(held)) {
            return;
        }
        long now = System.nanoTime();
        if (answer.task().isPresent()) {
            held.completed(answer.task().get(), now);
            work.queue().add(held);
        } else {
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
