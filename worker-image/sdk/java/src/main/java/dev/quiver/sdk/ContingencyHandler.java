package dev.quiver.sdk;

import java.util.Objects;
import java.util.Optional;

/**
 * The contingency of a function that does something outside which nobody can do twice. A Task's call with
 * {@code contingency: true} that may have done it and did not pass is in doubt. Its function threw, ran out of time, was
 * broken off, or lost its worker. Then this is asked, with the same input, and no trial follows before its answer. A function
 * that throws {@link DoNotRetryException}, {@link InputInvalidException}, {@link RetryAfterException} or
 * {@link BlockedException} says that nothing was done, and leaves no doubt.
 *
 * <p>It may be asked more than once. It has three trials of its own; after them, or where it throws
 * {@link DoNotRetryException}, the task has failed with reason {@code InDoubt}.
 *
 * <pre>{@code
 * "send", ContingencyHandler.with(
 *         Mails::send,
 *         (input, task) -> outbox.has(input) ? Optional.of(Done.of("true")) : Optional.empty())
 * }</pre>
 */
@FunctionalInterface
public interface ContingencyHandler {
    /** The name of a contingency is that of its function with this behind it. No other name ends so. */
    String SUFFIX = Nodes.CONTINGENCY;

    /**
     * Says whether the task was done. Then it has ended so; empty: it was not, and is tried again while it has trials.
     * {@code task.handler()} is the name of the contingency.
     */
    Optional<Done> wasDone(Input input, Task task) throws Exception;

    /**
     * A function with its contingency. Both are announced, and both count as handlers; their name has at most 116 bytes. The
     * contingency of a {@link BatchHandler} gets one task. The function may have a {@linkplain PlanHandler#with plan}.
     *
     * @throws IllegalArgumentException for an iterator, which has no contingency
     */
    static Handler with(Handler function, ContingencyHandler contingency) {
        Objects.requireNonNull(contingency, "contingency");
        return new Beside(
                function,
                Beside.Kind.CONTINGENCY,
                (input, task) -> Objects.requireNonNull(
                                contingency.wasDone(input, task), "a contingency returned null: it returns an Optional")
                        .map(Done::ofContingency)
                        .orElseGet(Effects::redo));
    }
}
