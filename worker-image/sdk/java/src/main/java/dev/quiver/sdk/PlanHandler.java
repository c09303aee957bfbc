package dev.quiver.sdk;

import java.util.Objects;

/**
 * The plan of a function: a Task's call with {@code plan: true} asks it first, with the input that the function gets.
 *
 * <p>It may be asked more than once, and only its last answer counts. An exception has the reason that it has in a handler.
 * {@link #with} joins it to its function, in a map of handlers:
 *
 * <pre>{@code
 * "save-draft", PlanHandler.with(
 *         Drafts::save,
 *         (input, task) -> Plan.builder().tags(List.of("send")).build())
 * }</pre>
 */
@FunctionalInterface
public interface PlanHandler {
    /** The name of a plan is that of its function with this behind it. No other name ends so. */
    String SUFFIX = Nodes.PLAN;

    /** Says what the task needs; null changes nothing. {@code task.handler()} is the name of the plan. */
    Plan plan(Input input, Task task) throws Exception;

    /**
     * A function with its plan. Both are announced, and both count as handlers; their name has at most 123 bytes. The plan
     * of a {@link BatchHandler} gets one task.
     *
     * @throws IllegalArgumentException for an iterator, which has no plan
     */
    static Handler with(Handler function, PlanHandler plan) {
        Objects.requireNonNull(plan, "plan");
        return new Beside(function, Beside.Kind.PLAN, (input, task) -> {
            Plan answer = plan.plan(input, task);
            return (answer == null ? Plan.builder().build() : answer).output();
        });
    }
}
