package dev.quiver.lifecycle.taskset;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.execution.RecordedTask;
import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.execution.TaskEstimate;
import dev.quiver.lifecycle.execution.TaskInvocation;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.TaskRendering;

/**
 * One trial of a task of a TaskSet.
 *
 * @param uid of the set
 * @param spec the specification of all tasks of the set
 * @param ordinal number of the task
 * @param trial this trial's number, from 1
 * @param payload of a fed set; absent for count and matrix
 * @param estimate how long it takes; absent without an order
 */
public record TaskSetTask(
        String uid,
        ExecutionSpec spec,
        long ordinal,
        int trial,
        Optional<String> payload,
        Optional<TaskEstimate> estimate)
        implements RunnableTask {

    /** As any command has. */
    private static final Duration LEAST_GRACE = Duration.ofSeconds(5);

    /** A trial of which nothing tells how long it takes. */
    public TaskSetTask(String uid, ExecutionSpec spec, long ordinal, int trial, Optional<String> payload) {
        this(uid, spec, ordinal, trial, payload, Optional.empty());
    }

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

    /** Whether its first failure ends it as pending. */
    boolean muted() {
        return TaskRendering.muted(spec.source(), ordinal, payload);
    }

    @Override
    public int maxTrials() {
        return spec.maxTrials();
    }

    /** The soft one of its limits, or the deadline where that is shorter. */
    @Override
    public Optional<Duration> timeLimit() {
        Optional<Duration> soft = spec.timeouts().map(limits -> limits.soft(estimate, isLast()));
        return soft.filter(limit ->
                        deadlineAfter(limit).isPresent() || spec.timeLimit().isEmpty())
                .or(spec::timeLimit);
    }

    /** Up to its hard limit, or the deadline where that is sooner. */
    @Override
    public Optional<Duration> grace() {
        return spec.timeouts().flatMap(limits -> {
            Duration soft = limits.soft(estimate, isLast());
            Duration grace = limits.grace(estimate, soft);
            return spec.timeLimit().isEmpty()
                    ? Optional.of(grace)
                    : deadlineAfter(soft).map(left -> Collections.min(List.of(grace, longer(left, LEAST_GRACE))));
        });
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /** How long after a limit the deadline is; absent where it is not after it. */
    private Optional<Duration> deadlineAfter(Duration limit) {
        return spec.timeLimit().map(deadline -> deadline.minus(limit)).filter(Duration::isPositive);
    }

    private boolean isLast() {
        return maxTrials() > 0 && trial >= maxTrials();
    }

    @Override
    public Optional<String> handler() {
        return spec.handler();
    }

    @Override
    public boolean reports() {
        return spec.reports();
    }

    @Override
    public boolean speculates() {
        return spec.speculates();
    }

    @Override
    public boolean lists() {
        return TaskSetKeys.isListing(uid);
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
