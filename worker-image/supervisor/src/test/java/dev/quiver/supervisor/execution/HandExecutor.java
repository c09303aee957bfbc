package dev.quiver.supervisor.execution;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

import dev.quiver.lifecycle.execution.RunnableTask;

/** Tasks run until the test ends them: by hand. Thread-safe. */
public final class HandExecutor extends TellingExecutor {

    private final Map<Integer, RunnableTask> running = new TreeMap<>();
    private final Map<Integer, Long> tokens = new TreeMap<>();
    private final Set<Integer> cancelled = new TreeSet<>();
    private final int slots;
    private Consumer<ExecutorEvent> listener;
    private boolean obeys = true;
    private int quick;
    private final Set<Duration> adoptedLimits = new TreeSet<>();
    private List<String> atStart = List.of();
    private boolean resumed;
    private final Map<Integer, ExecutorEvent.Ended> ended = new TreeMap<>();
    private final Map<Integer, TaskMark> marks = new TreeMap<>();
    private final List<String> started = new ArrayList<>();
    private int slow = -1;

    /** An executor with so many slots. */
    public HandExecutor(int slots) {
        this.slots = slots;
    }

    @Override
    public int slots() {
        return slots;
    }

    @Override
    public synchronized void start(Consumer<ExecutorEvent> events) {
        listener = events;
        arrive();
        if (!atStart.isEmpty()) {
            listener.accept(new ExecutorEvent.HandlersAnnounced(atStart));
        }
    }

    /** An agent comes: every slot is free that does not run a task of the engine before. */
    public synchronized void arrive() {
        listener.accept(new ExecutorEvent.Here(running.size() + ended.size()));
        running.keySet().forEach(slot -> listener.accept(new ExecutorEvent.Found(slot, tokens.get(slot))));
        ended.keySet().forEach(slot -> listener.accept(new ExecutorEvent.Found(slot, tokens.get(slot))));
        ended.values().forEach(listener::accept);
        for (int slot = 0; slot < slots; slot++) {
            if (!running.containsKey(slot) && !ended.containsKey(slot)) {
                listener.accept(new ExecutorEvent.Free(slot));
            }
        }
    }

    /** The supervisor dies, the tasks run on: the next start finds them. */
    public synchronized void orphan() {
        listener = event -> {};
        resumed = true;
        slow = -1;
    }

    /** A task ends while no supervisor looks. */
    public synchronized void passUnseen(int slot) {
        running.remove(slot);
        ended.put(slot, new ExecutorEvent.Ended(slot, tokens.get(slot), TrialResult.passed(Duration.ofMillis(1))));
    }

    @Override
    public synchronized boolean resumed() {
        return resumed;
    }

    @Override
    public synchronized void adopt(int slot, long token, Optional<Duration> timeLimit) {
        timeLimit.ifPresent(adoptedLimits::add);
    }

    /** How long tasks that were taken over may take at one go. */
    public synchronized Set<Duration> adoptedLimits() {
        return Set.copyOf(adoptedLimits);
    }

    /** The agent is killed, its tasks with it. */
    public synchronized void die() {
        leave();
        loseAll();
    }

    /** The agent's connection ends; what became of its tasks is not known yet. */
    public synchronized void leave() {
        listener.accept(new ExecutorEvent.Away("killed"));
    }

    /** Its tasks are found to be lost. */
    public synchronized void loseAll() {
        running.keySet().forEach(slot -> listener.accept(new ExecutorEvent.Gone(slot, tokens.get(slot), true)));
        running.clear();
    }

    /** A task that is called off keeps running from now on. */
    public synchronized void disobey() {
        obeys = false;
    }

    /** The next so many tasks end at once, by themselves; those after them run until the test ends them. */
    public synchronized void passAtOnce(int tasks) {
        quick = tasks;
    }

    @Override
    public synchronized Start run(int slot, RunnableTask task) {
        long token = tokens.merge(slot, 1L, Long::sum);
        marks.put(slot, TaskMark.of(task.id(), task.trial()));
        started.add(task.id());
        if (quick > 0) {
            quick--;
            listener.accept(new ExecutorEvent.Ended(slot, token, TrialResult.passed(Duration.ZERO)));
        } else {
            running.put(slot, task);
        }
        return new Start.Running(token);
    }

    @Override
    public synchronized void cancel(int slot, long ofToken) {
        if (tokens.get(slot) == ofToken && running.containsKey(slot)) {
            cancelled.add(slot);
            if (obeys) {
                running.remove(slot);
                listener.accept(new ExecutorEvent.Gone(slot, ofToken, true));
                listener.accept(new ExecutorEvent.Free(slot));
            }
        }
    }

    @Override
    public synchronized void acknowledge(int slot, long ofToken) {
        ended.remove(slot);
        if (slot != slow) {
            listener.accept(new ExecutorEvent.Free(slot));
        }
    }

    @Override
    public synchronized boolean takesNext(int slot, long ofToken) {
        return !ended.containsKey(slot) && slot != slow;
    }

    /** The slot takes its time to clean: it is free again only for the next engine. */
    public synchronized void slow(int slot) {
        slow = slot;
    }

    @Override
    public synchronized Optional<SlotUse> lastUse(int slot) {
        return Optional.ofNullable(marks.get(slot)).map(mark -> new SlotUse(tokens.get(slot), mark));
    }

    /** The tasks that were started, in order. */
    public synchronized List<String> started() {
        return List.copyOf(started);
    }

    /** Ends every running task as passed after what the engine takes for so long. */
    public synchronized int passAll() {
        int count = running.size();
        running.keySet()
                .forEach(slot -> listener.accept(
                        new ExecutorEvent.Ended(slot, tokens.get(slot), TrialResult.passed(Duration.ofMillis(1)))));
        running.clear();
        return count;
    }

    /** A word of before comes late: the slot was free. */
    public synchronized void freeLate(int slot) {
        listener.accept(new ExecutorEvent.Free(slot));
    }

    /** The user's side breaks the rules in a slot. */
    public synchronized void violate(int slot) {
        running.remove(slot);
        listener.accept(new ExecutorEvent.Broken(slot, "words ran backwards"));
    }

    /** The handlers that are served from the beginning. */
    public synchronized void announceAtStart(String... names) {
        atStart = List.of(names);
    }

    /** A handler process says what it serves. */
    public synchronized void announce(String... names) {
        listener.accept(new ExecutorEvent.HandlersAnnounced(List.of(names)));
    }

    /** How many tasks run. */
    public synchronized int running() {
        return running.size();
    }

    /** The tasks that run, by id. */
    public synchronized List<String> ids() {
        return running.values().stream().map(RunnableTask::id).toList();
    }

    /** How many tasks were called off. */
    public synchronized int cancelled() {
        return cancelled.size();
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
