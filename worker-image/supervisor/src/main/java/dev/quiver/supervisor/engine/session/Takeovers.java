package dev.quiver.supervisor.engine.session;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.quiver.lifecycle.worker.Orphan;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.Takeover;
import dev.quiver.supervisor.execution.SlotUse;
import dev.quiver.supervisor.execution.TaskMark;

/**
 * Which of the tasks that Redis calls this pod's run in its slots, and which were never started. The slot itself says
 * whose run it holds. A task of the queue goes into whichever slot frees first, so its claim may name another slot.
 * Pure.
 */
final class Takeovers {

    /**
     * A slot's last use.
     *
     * @param found whether that run goes on, or its result waits to be read
     */
    record Use(int slot, SlotUse last, boolean found) {}

    private final Map<TaskMark, Use> running = new HashMap<>();
    private final Set<TaskMark> seen = new HashSet<>();
    private final Map<Integer, SlotUse> lastUses = new HashMap<>();

    Takeovers(List<Use> uses) {
        for (Use use : uses) {
            seen.addAll(use.last().marks());
            lastUses.put(use.slot(), use.last());
            if (use.found()) {
                use.last().marks().forEach(mark -> running.put(mark, use));
            }
        }
    }

    /**
     * The report to Redis. An orphan that is not named was lost: it ran, as far as can be known, and its result is
     * gone.
     */
    List<Takeover> decide(List<Orphan> orphans) {
        List<Takeover> all = new ArrayList<>();
        for (Orphan orphan : orphans) {
            TaskMark mark = TaskMark.of(orphan.taskId(), orphan.trial());
            Use use = running.get(mark);
            if (use != null) {
                all.add(Takeover.running(orphan, use.slot(), use.last().token()));
            } else if (!seen.contains(mark) && wentElsewhere(orphan.place())) {
                all.add(Takeover.notStarted(orphan));
            }
        }
        return all;
    }

    /**
     * Whether the slot that the claim named did not get this task at that use: it has not come to it, or another task
     * did. Called for a task that no slot had as its last.
     */
    private boolean wentElsewhere(Place place) {
        SlotUse last = place.isQueued() ? null : lastUses.get(place.slot());
        return last != null && last.token() <= place.generation();
    }
}
