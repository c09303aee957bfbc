package dev.quiver.supervisor.engine.slots;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

import dev.quiver.supervisor.execution.TrialResult;

/**
 * One use of a slot: the tasks of a dispatch, in their order, and how many of them still need the slot as it is.
 * Belongs to the engine's thread.
 */
public final class SlotRun {

    private final ClaimedTask[] tasks; // null: taken over from the process before, and nobody's any more
    private final int slot;
    private final long token;
    private int needed;

    SlotRun(List<ClaimedTask> tasks, int slot, long token, long now) {
        this.tasks = tasks.toArray(ClaimedTask[]::new);
        this.slot = slot;
        this.token = token;
        forEach(task -> {
            needed++;
            task.runs(this, now);
        });
    }

    int slot() {
        return slot;
    }

    long token() {
        return token;
    }

    /** How many tasks were dispatched. */
    int size() {
        return tasks.length;
    }

    /** Tasks whose end was not yet acknowledged. */
    public int needed() {
        return needed;
    }

    /** One of the tasks needs the slot no more; whether none does. */
    boolean release() {
        needed--;
        return needed == 0;
    }

    void forEach(Consumer<ClaimedTask> action) {
        for (ClaimedTask task : tasks) {
            if (task != null) {
                action.accept(task);
            }
        }
    }

    /** Whether one of its tasks is meant. */
    boolean any(Predicate<ClaimedTask> meant) {
        for (ClaimedTask task : tasks) {
            if (task != null && meant.test(task)) {
                return true;
            }
        }
        return false;
    }

    /** Whether its tasks were called off. */
    public boolean stopped() {
        for (ClaimedTask task : tasks) {
            if (task != null) {
                return task.stopped();
            }
        }
        return true;
    }

    /**
     * It ended by itself.
     *
     * @param endings of its first tasks
     * @param apart whether the others are to be run each alone
     */
    public void ended(List<TrialResult> endings, boolean apart, long now) {
        tellEnded(endings, now);
        returnFrom(endings.size(), apart, now);
    }

    /**
     * It is gone.
     *
     * @param endings of its first tasks, which had ended before
     * @param started whether the next one had been started
     * @param whole whether that is true of all others
     */
    public void gone(List<TrialResult> endings, boolean started, boolean whole, String message, long now) {
        tellEnded(endings, now);
        int under = whole ? tasks.length : Math.min(tasks.length, endings.size() + 1);
        for (int i = endings.size(); i < under; i++) {
            if (tasks[i] != null) {
                tasks[i].owner().gone(tasks[i], started, message, now);
            }
        }
        returnFrom(under, false, now);
    }

    private void tellEnded(List<TrialResult> endings, long now) {
        for (int i = 0; i < Math.min(endings.size(), tasks.length); i++) {
            if (tasks[i] != null) {
                tasks[i].owner().ended(tasks[i], endings.get(i), now);
            }
        }
    }

    /** Tasks that were not begun wait again, in their order: the last one is put first. */
    private void returnFrom(int from, boolean apart, long now) {
        for (int i = tasks.length - 1; i >= from; i--) {
            if (tasks[i] != null) {
                tasks[i].owner().notBegun(tasks[i], apart, now);
            }
        }
    }
}
