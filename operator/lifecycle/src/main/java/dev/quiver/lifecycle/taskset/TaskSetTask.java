package dev.quiver.lifecycle.taskset;

import java.time.Duration;
import java.util.Optional;

import dev.quiver.lifecycle.execution.RecordedTask;
import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.execution.TaskInvocation;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.TaskRendering;

/**
 * One attempt of a task of a TaskSet.
 *
 * @param uid of the set
 * @param spec the specification of all tasks of the set
 * @param ordinal number of the task
 * @param trial this attempt's number, from 1
 * @param payload of a fed set; absent for count and matrix
 */
public record TaskSetTask(String uid, ExecutionSpec spec, long ordinal, int trial, Optional<String> payload)
        implements RunnableTask {

    @Override
    public String id() {
        return RunnableTask.id(uid, Long.toString(ordinal));
    }

    /** The ordinal when the payload is not readable: the task fails for that reason. */
    @Override
    public String name() {
        try {
            return TaskRendering.name(spec.source(), ordinal, payload);
        } catch (IllegalArgumentException unreadable) {
            return Long.toString(ordinal);
        }
    }

    @Override
    public int maxTrials() {
        return spec.maxTrials();
    }

    @Override
    public Optional<Duration> timeLimit() {
        return spec.timeLimit();
    }

    @Override
    public Optional<String> handler() {
        return spec.handler();
    }

    @Override
    public Optional<RecordedTask> recorded() {
        return spec.recording().map(how -> new RecordedTask(uid, ordinal, how));
    }

    @Override
    public TaskInvocation render(SlotFacts facts) {
        return TaskRendering.render(spec, ordinal, payload, trial, facts);
    }
}
