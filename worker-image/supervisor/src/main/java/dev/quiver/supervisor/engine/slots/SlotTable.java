package dev.quiver.supervisor.engine.slots;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

import dev.quiver.lifecycle.worker.Place;
import dev.quiver.supervisor.execution.TaskExecutor;
import dev.quiver.supervisor.execution.TaskProgress;

/**
 * The task of each slot, and the slots that are free, promised to a claim under way, or broken. Sets of slots are bits
 * of a long: there are at most 64. Belongs to the engine's thread.
 */
public final class SlotTable {

    private final TaskExecutor executor;
    private final SlotRun[] occupants;
    private final long[] tokens;
    private long occupied;
    private long free;
    private long promised;
    private long broken;
    private long found;
    /** Free slots whose last end is not acknowledged: the next dispatch does that, or the turn's end. */
    private long left;

    private Optional<String> absence = Optional.of("no agent has connected yet");

    public SlotTable(TaskExecutor executor) {
        this.executor = executor;
        this.occupants = new SlotRun[executor.slots()];
        this.tokens = new long[executor.slots()];
    }

    /** Why no task can be started, absent when some can. */
    public Optional<String> absence() {
        return absence;
    }

    /** Bytes that the input of a task takes at most. */
    public long inputBytes() {
        return executor.inputBytes();
    }

    /** Slots that run tasks when they are asked to; none while nobody is there. */
    public int usable() {
        return absence.isPresent() ? 0 : occupants.length - Long.bitCount(broken | found);
    }

    /** Slots without a task, whether a claim under way or one that waits for a token counts on them or not. */
    public int free() {
        return Long.bitCount(free | promised);
    }

    public int busy() {
        return Long.bitCount(occupied);
    }

    /** Somebody is there; each free slot will say so. */
    public void here() {
        absence = Optional.empty();
    }

    /** The executor takes tasks no more; running tasks may still end. */
    public void away(String why) {
        absence = Optional.of(why);
        acknowledgeLeft();
        free = 0;
        promised = 0;
    }

    /** The slot is in use by a task of the process before: not usable until it is free or adopted. */
    public void found(int slot) {
        found |= bit(slot);
        free &= ~bit(slot);
    }

    /** The task that was found there is not ours: the slot will become free. */
    public void forget(int slot) {
        found &= ~bit(slot);
    }

    /**
     * The tasks that were found there are these.
     *
     * @param held in the order of the dispatch; null for one that is nobody's any more
     */
    public void adopt(List<ClaimedTask> held, int slot, long token, long now) {
        found &= ~bit(slot);
        occupy(held, slot, token, now);
    }

    private void occupy(List<ClaimedTask> held, int slot, long token, long now) {
        tokens[slot] = token;
        occupants[slot] = new SlotRun(held, slot, token, now);
        occupied |= bit(slot);
    }

    /** The slot takes tasks; said late, after another dispatch, it means nothing: the slot says so again. */
    public void becameFree(int slot) {
        if (((broken | occupied) & bit(slot)) == 0) {
            free |= bit(slot);
        }
    }

    /** The slot's user side broke the rules: never used again; returns what it held. */
    public Optional<SlotRun> broke(int slot) {
        broken |= bit(slot);
        left &= ~bit(slot);
        free &= ~bit(slot);
        promised &= ~bit(slot);
        return vacate(slot);
    }

    /**
     * Names the places of a claim. Free slots come first, which no other claim gets until they are {@link #unused}.
     * Then come slots whose tasks the same call settles, then places in the queue.
     */
    public List<Place> promise(int count, List<SlotRun> settling, long queuePosition) {
        List<Place> places = new ArrayList<>(count);
        while (places.size() < count && free != 0) {
            int slot = Long.numberOfTrailingZeros(free);
            free &= ~bit(slot);
            promised |= bit(slot);
            places.add(Place.slot(slot, tokens[slot] + 1));
        }
        for (int i = 0; i < settling.size() && places.size() < count; i++) {
            int slot = settling.get(i).slot();
            places.add(Place.slot(slot, tokens[slot] + 1));
        }
        for (long at = queuePosition; places.size() < count; at++) {
            places.add(Place.queued(at));
        }
        return places;
    }

    /** Takes a promised slot back into the free ones; others are ignored. */
    public void unused(Place place) {
        if (!place.isQueued() && (promised & bit(place.slot())) != 0) {
            promised &= ~bit(place.slot());
            free |= bit(place.slot());
        }
    }

    /**
     * How many tasks a free slot should take at once, so that the other free ones get as many.
     *
     * @param most of one dispatch
     * @param waiting tasks in all
     */
    public int share(int most, int waiting) {
        return Math.clamp(waiting / Math.max(1, free()), 1, most);
    }

    /**
     * Permits for dispatches of up to {@code most} tasks, beside one for each slot. A slot that runs has those that it
     * took; any other slot could take that many.
     */
    public int beside(int most) {
        int tasks = 0;
        for (int slot = 0; slot < occupants.length; slot++) {
            if (occupants[slot] != null) {
                tasks += occupants[slot].size() - 1;
            } else if (most > 1 && ((broken | found) & bit(slot)) == 0 && executor.takesBatches(slot)) {
                tasks += most - 1;
            }
        }
        return absence.isPresent() ? 0 : tasks;
    }

    /**
     * Starts tasks in the slot that the first one's claim named, else in any free slot; absent when there is none.
     *
     * @param held tasks that {@linkplain PrefetchQueue#oldest(int) may be dispatched together}; fewer are started if the
     *     slot takes no more
     */
    public Optional<TaskExecutor.Start> start(List<ClaimedTask> held, long now) {
        if (free == 0) {
            return Optional.empty();
        }
        int slot = choose(held.getFirst().claim().place());
        free &= ~bit(slot);
        boolean together = held.size() > 1 && executor.takesBatches(slot);
        TaskExecutor.Start start = together
                ? executor.run(
                        slot, held.stream().map(each -> each.claim().task()).toList())
                : executor.run(slot, held.getFirst().claim().task());
        switch (start) {
            case TaskExecutor.Start.Running(long token, int tasks) -> {
                left &= ~bit(slot);
                occupy(held.subList(0, tasks), slot, token, now);
            }
            case TaskExecutor.Start.Impossible _ -> free |= bit(slot);
            // The slot says Free again when it takes tasks.
            case TaskExecutor.Start.Unavailable _ -> acknowledgeLeft(slot);
        }
        return Optional.of(start);
    }

    private int choose(Place wished) {
        boolean wishIsFree = !wished.isQueued() && (free & bit(wished.slot())) != 0;
        return wishIsFree ? wished.slot() : Long.numberOfTrailingZeros(free);
    }

    /** Takes the tasks out of their slot if it is still this use of the slot. */
    public Optional<SlotRun> vacate(int slot, long token) {
        return occupants[slot] != null && tokens[slot] == token ? vacate(slot) : Optional.empty();
    }

    private Optional<SlotRun> vacate(int slot) {
        SlotRun run = occupants[slot];
        occupants[slot] = null;
        occupied &= ~bit(slot);
        return Optional.ofNullable(run);
    }

    /** The task needs its slot no more: it is cleaned when the last one of the dispatch says so. */
    public void acknowledge(ClaimedTask held) {
        if (held.run().release()) {
            executor.acknowledge(held.slot(), held.token());
        }
    }

    /**
     * The same for a task whose slot may have the next one at once. The slot is free until the turn's end, and is
     * acknowledged by that dispatch or by {@link #acknowledgeLeft()}.
     */
    public void leave(ClaimedTask held) {
        if (!held.run().release()) {
            return;
        }
        int slot = held.slot();
        boolean ours = absence.isEmpty() && ((broken | occupied | found) & bit(slot)) == 0;
        if (ours && executor.takesNext(slot, held.token())) {
            left |= bit(slot);
            free |= bit(slot);
        } else {
            executor.acknowledge(slot, held.token());
        }
    }

    /** No task follows in this turn: slots that were left are cleaned, and say Free when they are. */
    public void acknowledgeLeft() {
        while (left != 0) {
            acknowledgeLeft(Long.numberOfTrailingZeros(left));
        }
    }

    private void acknowledgeLeft(int slot) {
        if ((left & bit(slot)) != 0) {
            left &= ~bit(slot);
            free &= ~bit(slot);
            executor.acknowledge(slot, tokens[slot]);
        }
    }

    /** Calls off every running task that is meant and was not called off before; returns how many. */
    public int stop(Predicate<ClaimedTask> meant, StopReason why) {
        int stopped = 0;
        for (SlotRun run : occupants) {
            // The tasks of one dispatch have one owner: all of them are meant, or none.
            if (run != null && !run.stopped() && run.any(meant)) {
                run.forEach(task -> task.stop(why));
                executor.cancel(run.slot(), run.token());
                stopped += run.needed();
            }
        }
        return stopped;
    }

    /** How far a task in a slot is; of one among several nothing is known. */
    public TaskProgress progress(ClaimedTask held) {
        return held.company() > 1
                ? TaskProgress.NONE
                : executor.progress(held.slot(), held.token()).orElse(TaskProgress.NONE);
    }

    /** Every task in a slot. */
    public void forEach(Consumer<ClaimedTask> action) {
        for (SlotRun run : occupants) {
            if (run != null) {
                run.forEach(action);
            }
        }
    }

    private static long bit(int slot) {
        return 1L << slot;
    }
}
