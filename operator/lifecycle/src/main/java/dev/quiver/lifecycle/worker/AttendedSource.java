package dev.quiver.lifecycle.worker;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;

import dev.quiver.lifecycle.execution.RunnableTask;

/**
 * A source whose tasks differ in their handlers, and are attended to while they run: Tasks, and those of other programs'
 * wires. Thread-safe if its functions are.
 *
 * @param session that works at it
 * @param id its name
 * @param step makes a step that is begun, and not sent
 * @param attending answers which of the running tasks are to be stopped
 * @param completing reads what a task that is not ready lacks, at most so many bytes
 */
public record AttendedSource(
        SessionCalls session,
        String id,
        Function<StepRequest, StepCall> step,
        Function<Collection<RunningTask>, Set<String>> attending,
        BiFunction<RunnableTask, Long, RunnableTask> completing)
        implements WorkSource {

    @Override
    public List<String> handlers() {
        return List.of();
    }

    @Override
    public StepCall prepare(StepRequest request) {
        StepCall prepared = step.apply(request);
        session.begin(prepared);
        return prepared;
    }

    @Override
    public RunnableTask complete(RunnableTask task, long most) {
        return completing.apply(task, most);
    }

    @Override
    public boolean attends() {
        return true;
    }

    @Override
    public Set<String> attend(Collection<RunningTask> running) {
        return attending.apply(running);
    }
}
