package dev.quiver.supervisor.engine.session;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.supervisor.engine.slots.ClaimedTask;

/**
 * Claimed tasks that lack what a claim does not bring, a long result for instance. Each is read on a thread of its own and
 * waits for a slot afterwards. Belongs to the engine's thread.
 */
final class Unready {

    /**
     * What reading brought.
     *
     * @param task absent when it cannot be read
     */
    private record Answer(Optional<RunnableTask> task, String reason, String message) {}

    private final Set<ClaimedTask> tasks = new LinkedHashSet<>(); // by identity: none is equal to another
    private final SessionWork work;
    private final EngineContext context;

    Unready(SessionWork work, EngineContext context) {
        this.work = work;
        this.context = context;
    }

    /** Reads what this task of the source lacks. */
    void add(WorkSource source, ClaimedTask held) {
        tasks.add(held);
        long most = context.slots().inputBytes();
        context.calls()
                .untilAnswered(
                        () -> read(source, held.claim().task(), most), work::wanted, answer -> answered(held, answer));
    }

    private static Answer read(WorkSource source, RunnableTask task, long most) {
        try {
            return new Answer(Optional.of(source.complete(task, most)), "", "");
        } catch (InputTooLargeException large) {
            return new Answer(Optional.empty(), "InputTooLarge", large.getMessage());
        } catch (IllegalArgumentException unreadable) {
            return new Answer(Optional.empty(), "InputInvalid", unreadable.getMessage());
        }
    }

    private void answered(ClaimedTask held, Answer answer) {
        if (!tasks.remove(held)) {
            return;
        }
        if (answer.task().isPresent()) {
            held.completed(answer.task().get());
            work.queue().add(held);
        } else {
            held.owner().impossible(held, answer.reason(), answer.message(), System.nanoTime());
        }
    }

    /** All that are still being read, which is in vain from now on. */
    List<ClaimedTask> takeAll() {
        List<ClaimedTask> all = List.copyOf(tasks);
        tasks.clear();
        return all;
    }
}
