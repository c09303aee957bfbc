package dev.quiver.lifecycle.execution;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One run of a task, ready to be handed over. */
public sealed interface TaskInvocation {

    /** The task's name. */
    String name();

    /** Variables, expanded, in order. */
    Map<String, String> env();

    /** What it is given; may be empty. */
    TaskInput.Payload input();

    /**
     * A process to start.
     *
     * @param argv program and arguments, expanded
     * @param env what is added to the container's environment
     * @param workingDir absent for the container's own
     */
    record Command(
            String name,
            List<String> argv,
            Map<String, String> env,
            Optional<String> workingDir,
            TaskInput.Payload input)
            implements TaskInvocation {}

    /**
     * A function to call.
     *
     * @param handler its name
     * @param env the context that the function sees: what a process would find in its environment, its slot's paths aside
     */
    record Handler(String name, String handler, Map<String, String> env, TaskInput.Payload input)
            implements TaskInvocation {}
}
