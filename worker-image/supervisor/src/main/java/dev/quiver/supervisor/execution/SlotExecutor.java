package dev.quiver.supervisor.execution;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.execution.TaskInvocation;
import dev.quiver.slots.Assignment;
import dev.quiver.slots.BoardConfig;
import dev.quiver.slots.Command;
import dev.quiver.slots.DataFormat;
import dev.quiver.slots.Dispatch;
import dev.quiver.slots.DispatchedTask;
import dev.quiver.slots.Geometry;
import dev.quiver.slots.HandlerCall;
import dev.quiver.slots.Outcome;
import dev.quiver.slots.Payload;
import dev.quiver.slots.SlotBoard;
import dev.quiver.slots.SlotEvent;
import dev.quiver.slots.SlotProgram;
import dev.quiver.slots.SlotResult;

/**
 * Runs tasks through the shared-memory slots. A task is a process for each command, started by the agent in the user's
 * container, or a function of the slot's handler process.
 *
 * <p>The region of an earlier supervisor of this pod is gone on with, so that its tasks run on and can be taken over.
 */
public final class SlotExecutor implements TaskExecutor {

    private final String podName;
    private final String[] inputs;
    private final String[] outputs;
    private final SlotBoard board;
    private Consumer<ExecutorEvent> listener;
    /** Whether the agent said that its container ends; of the thread that polls. */
    private boolean draining;
    /** How the first tasks of the batch ended whose end is told next, and whether one call took the others. */
    private List<Outcome> outcomes = List.of();

    private boolean wholeCall;
    /** Generations that the supervisor before this one dispatched, by slot; of the thread that polls. */
    private final long[] found;

    private SlotExecutor(Path in, Path out, Optional<Path> whole, Geometry geometry, String podName) {
        this.podName = podName;
        this.found = new long[geometry.slots()];
        Arrays.fill(found, -1);
        this.inputs = paths(geometry.slots(), out, ".in");
        this.outputs = paths(geometry.slots(), out, "/output");
        this.board =
                SlotBoard.polled(BoardConfig.resume(in, out, geometry, podName).withWhole(whole), this::report);
    }

    private static String[] paths(int slots, Path directory, String suffix) {
        String[] paths = new String[slots];
        Arrays.setAll(paths, slot -> directory.resolve("task-" + slot + suffix).toString());
        return paths;
    }

    /**
     * Lays out the volume {@code in} and listens for the agent; what happens is reported by {@link #poll}.
     *
     * @param whole volume for all that tasks print, where there is one
     * @throws dev.quiver.slots.SlotsException in words, when volume or memory do not suffice
     */
    public static SlotExecutor open(Path in, Path out, Optional<Path> whole, Geometry geometry, String podName) {
        return new SlotExecutor(in, out, whole, geometry, podName);
    }

    @Override
    public int slots() {
        return board.geometry().slots();
    }

    /** The last lines of a slot's process from between tasks, as {@link SlotBoard#log} has them. */
    public byte[] log(int slot) {
        return board.log(slot);
    }

    @Override
    public long inputBytes() {
        return board.geometry().inputBytes();
    }

    @Override
    public void start(Consumer<ExecutorEvent> events) {
        listener = events;
    }

    @Override
    public void poll() {
        boolean ignored = board.poll();
    }

    @Override
    public void sleep(long nanos, BooleanSupplier stay) {
        board.sleep(nanos, stay);
    }

    @Override
    public void wake() {
        board.wake();
    }

    @Override
    public boolean resumed() {
        return board.resumed();
    }

    @Override
    public Optional<SlotUse> lastUse(int slot) {
        List<DispatchedTask> last = board.dispatched(slot);
        return last.isEmpty()
                ? Optional.empty()
                : Optional.of(new SlotUse(
                        last.getFirst().generation(),
                        last.stream()
                                .map(task -> new TaskMark(task.taskHash(), task.trial()))
                                .toList()));
    }

    @Override
    public void adopt(int slot, long token, Optional<Duration> timeLimit) {
        board.adopt(slot, token, timeLimit);
    }

    @Override
    public boolean takesBatches(int slot) {
        return board.takesBatches(slot);
    }

    @Override
    public Optional<TaskProgress> progress(int slot, long token) {
        return board.progress(slot, token).map(said -> new TaskProgress(said.done(), said.total()));
    }

    @Override
    public boolean takesNext(int slot, long token) {
        return board.takesNext(slot, token);
    }

    @Override
    public Start run(int slot, RunnableTask task) {
        return run(slot, List.of(task));
    }

    @Override
    public Start run(int slot, List<RunnableTask> tasks) {
        SlotFacts facts = facts(slot);
        List<Assignment> assignments = new ArrayList<>(tasks.size());
        TaskInvocation first = null;
        for (RunnableTask task : tasks) {
            TaskInvocation invocation;
            try {
                invocation = task.render(facts);
            } catch (InputTooLargeException large) {
                if (first == null) {
                    return new Start.Impossible("InputTooLarge", large.getMessage());
                }
                break; // refused when it is the first
            } catch (IllegalArgumentException unreadable) {
                if (first == null) {
                    return new Start.Impossible("InvalidTask", unreadable.getMessage());
                }
                break;
            }
            first = first == null ? invocation : first;
            assignments.add(assignment(task, invocation));
        }
        return switch (board.dispatch(slot, assignments)) {
            case Dispatch.Accepted(long generation, int dispatched) -> new Start.Running(generation, dispatched);
            case Dispatch.NotFree _, Dispatch.NoAgent _ -> new Start.Unavailable();
            case Dispatch.TooLarge(long needed, long size) ->
                new Start.Impossible(
                        "InputTooLarge",
                        "input, " + parts(first) + " and environment take " + needed + " bytes, slots.inputSize is "
                                + size);
            case Dispatch.Invalid(String message) -> new Start.Impossible("InvalidCommand", message);
        };
    }

    private static Assignment assignment(RunnableTask task, TaskInvocation invocation) {
        return new Assignment(
                task.id(),
                invocation.name(),
                execution(task, invocation),
                payload(invocation.input()),
                task.trial(),
                task.maxTrials(),
                task.timeLimit());
    }

    private static SlotProgram execution(RunnableTask task, TaskInvocation invocation) {
        return switch (invocation) {
            case TaskInvocation.Command run ->
                new Command(
                        run.argv(),
                        run.env(),
                        run.workingDir(),
                        task.grace().orElse(Command.DEFAULT_GRACE),
                        task.streamKib());
            case TaskInvocation.Handler call -> new HandlerCall(call.handler(), call.env(), task.streamKib());
        };
    }

    private static String parts(TaskInvocation invocation) {
        return invocation instanceof TaskInvocation.Command ? "command, arguments" : "name of the handler";
    }

    private static Payload payload(ExecutionInput.Payload input) {
        DataFormat format = DataFormat.ofCode(input.format().code()).orElseThrow();
        return new Payload(input.bytes(), format, input.locator());
    }

    private SlotFacts facts(int slot) {
        return new SlotFacts(
                slot, podName, inputs[slot], outputs[slot], board.geometry().inputBytes());
    }

    @Override
    public void cancel(int slot, long token) {
        board.cancel(slot, token);
    }

    @Override
    public void acknowledge(int slot, long token) {
        board.acknowledge(slot, token);
    }

    private void report(SlotEvent event) {
        switch (event) {
            case SlotEvent.AgentArrived arrived -> {
                draining = draining && arrived.sameExecutors();
                listener.accept(new ExecutorEvent.Here(arrived.found()));
            }
            case SlotEvent.AgentLeft _ -> listener.accept(new ExecutorEvent.Away("the agent's connection ended"));
            case SlotEvent.HandlersAnnounced(var names) -> listener.accept(new ExecutorEvent.HandlersAnnounced(names));
            case SlotEvent.AgentDraining _ -> {
                draining = true;
                listener.accept(new ExecutorEvent.Away("the worker container is ending"));
            }
            case SlotEvent.Ready(int slot) -> listener.accept(new ExecutorEvent.Free(slot));
            case SlotEvent.Outcomes(int _, long _, var list, boolean whole) -> {
                outcomes = list;
                wholeCall = whole;
            }
            case SlotEvent.Finished(var result) -> listener.accept(ended(result));
            case SlotEvent.Cancelled(int slot, long generation, boolean started) ->
                listener.accept(gone(slot, generation, started));
            case SlotEvent.Lost(int slot, long generation, boolean started) ->
                listener.accept(gone(slot, generation, started));
            case SlotEvent.Found(int slot, long generation, var _) -> {
                found[slot] = generation;
                listener.accept(new ExecutorEvent.Found(slot, generation));
            }
            case SlotEvent.Violated(var violation) ->
                listener.accept(new ExecutorEvent.Broken(
                        violation.slot(), violation.kind() + " in slot " + violation.slot() + ": " + violation.text()));
        }
    }

    private ExecutorEvent.Ended ended(SlotResult result) {
        int slot = result.slot();
        List<TrialResult> endings = new ArrayList<>();
        takeOutcomes().forEach(outcome -> endings.add(TrialResults.of(outcome, result, board)));
        boolean apart = !result.passed() && wholeCall && board.dispatched(slot).size() > endings.size() + 1;
        if (!apart && (!result.passed() || endings.isEmpty())) {
            // What ended while no supervisor was there is reported before the agent can say again that it drains.
            boolean unheard = found[slot] == result.generation();
            endings.add(TrialResults.of(result, draining || unheard, board));
        }
        wholeCall = false;
        return new ExecutorEvent.Ended(slot, result.generation(), List.copyOf(endings), apart);
    }

    private ExecutorEvent.Gone gone(int slot, long generation, boolean started) {
        boolean whole = wholeCall;
        wholeCall = false;
        List<TrialResult> endings =
                takeOutcomes().stream().map(TrialResults::ofLost).toList();
        return new ExecutorEvent.Gone(slot, generation, endings, started, whole);
    }

    /** The outcomes about the dispatch whose end is told now; none of one task. */
    private List<Outcome> takeOutcomes() {
        List<Outcome> ended = outcomes;
        outcomes = List.of();
        return ended;
    }

    @Override
    public void close() {
        board.close();
    }
}
