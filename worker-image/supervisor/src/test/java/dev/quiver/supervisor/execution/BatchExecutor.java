package dev.quiver.supervisor.execution;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

import dev.quiver.lifecycle.execution.RunnableTask;

/** Slots that take several calls at once, which the test ends by hand. Thread-safe. */
public final class BatchExecutor extends TellingExecutor {

    /** A dispatch that runs. */
    public record Run(int slot, long token, List<String> ids) {}

    private final int slots;
    private final String handler;
    private final Map<Integer, Run> running = new TreeMap<>();
    private final List<List<String>> dispatched = new ArrayList<>();
    private final Map<Integer, SlotUse> uses = new TreeMap<>();
    private Consumer<ExecutorEvent> listener;
    private boolean resumed;
    private long tokens;

    /** With so many slots, whose processes serve this handler. */
    public BatchExecutor(int slots, String handler) {
        this.slots = slots;
        this.handler = handler;
    }

    @Override
    public int slots() {
        return slots;
    }

    @Override
    public synchronized void start(Consumer<ExecutorEvent> events) {
        listener = events;
        listener.accept(new ExecutorEvent.Here(running.size()));
        running.values().forEach(run -> listener.accept(new ExecutorEvent.Found(run.slot(), run.token())));
        listener.accept(new ExecutorEvent.HandlersAnnounced(List.of(handler)));
        for (int slot = 0; slot < slots; slot++) {
            if (!running.containsKey(slot)) {
                listener.accept(new ExecutorEvent.Free(slot));
            }
        }
    }

    /** The supervisor dies, the tasks run on: the next start finds them. */
    public synchronized void orphan() {
        listener = event -> {};
        resumed = true;
    }

    @Override
    public synchronized boolean resumed() {
        return resumed;
    }

    @Override
    public synchronized Optional<SlotUse> lastUse(int slot) {
        return Optional.ofNullable(uses.get(slot));
    }

    @Override
    public boolean takesBatches(int slot) {
        return true;
    }

    @Override
    public Start run(int slot, RunnableTask task) {
        return run(slot, List.of(task));
    }

    @Override
    public synchronized Start run(int slot, List<RunnableTask> tasks) {
        long token = ++tokens;
        List<String> ids = tasks.stream().map(RunnableTask::id).toList();
        running.put(slot, new Run(slot, token, ids));
        dispatched.add(ids);
        uses.put(
                slot,
                new SlotUse(
                        token,
                        tasks.stream()
                                .map(task -> TaskMark.of(task.id(), task.trial()))
                                .toList()));
        return new Start.Running(token, tasks.size());
    }

    /** The dispatches that run, by slot. */
    public synchronized List<Run> running() {
        return List.copyOf(running.values());
    }

    /** The ids of all dispatches so far, in order. */
    public synchronized List<List<String>> dispatched() {
        return List.copyOf(dispatched);
    }

    /** Its first tasks passed, and then it ended so; nothing: at that. */
    public synchronized void end(Run run, int passed, Optional<TrialResult> next) {
        List<TrialResult> endings = passed(passed);
        next.ifPresent(endings::add);
        running.remove(run.slot());
        listener.accept(new ExecutorEvent.Ended(run.slot(), run.token(), endings, false));
    }

    /** One call had all tasks but the first that passed, and failed. */
    public synchronized void failWhole(Run run, int passed) {
        running.remove(run.slot());
        listener.accept(new ExecutorEvent.Ended(run.slot(), run.token(), passed(passed), true));
    }

    /** The agent is killed when so many tasks had passed. */
    public synchronized void lose(Run run, int passed) {
        running.remove(run.slot());
        listener.accept(new ExecutorEvent.Gone(run.slot(), run.token(), passed(passed), true, false));
        listener.accept(new ExecutorEvent.Free(run.slot()));
    }

    /** The agent goes and does not come back when so many tasks had passed. */
    public synchronized void loseForGood(Run run, int passed) {
        running.remove(run.slot());
        listener.accept(new ExecutorEvent.Away("killed"));
        listener.accept(new ExecutorEvent.Gone(run.slot(), run.token(), passed(passed), true, false));
    }

    /** The container ends, and its handler stops after so many tasks. */
    public synchronized void leave(Run run, int passed) {
        running.remove(run.slot());
        listener.accept(new ExecutorEvent.Away("the worker container is ending"));
        listener.accept(new ExecutorEvent.Ended(run.slot(), run.token(), passed(passed), false));
    }

    /** Another agent comes, every slot free. */
    public synchronized void comeBack() {
        listener.accept(new ExecutorEvent.Here());
        for (int slot = 0; slot < slots; slot++) {
            listener.accept(new ExecutorEvent.Free(slot));
        }
    }

    private static List<TrialResult> passed(int tasks) {
        List<TrialResult> endings = new ArrayList<>();
        for (int i = 0; i < tasks; i++) {
            endings.add(TrialResult.passed(Duration.ofMillis(1)));
        }
        return endings;
    }

    @Override
    public synchronized void cancel(int slot, long ofToken) {
        Run run = running.get(slot);
        if (run != null && run.token() == ofToken) {
            running.remove(slot);
            listener.accept(new ExecutorEvent.Gone(slot, ofToken, passed(1), true, false));
            listener.accept(new ExecutorEvent.Free(slot));
        }
    }

    @Override
    public synchronized void acknowledge(int slot, long ofToken) {
        listener.accept(new ExecutorEvent.Free(slot));
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
