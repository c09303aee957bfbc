package dev.quiver.lifecycle.execution;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One run of a task, ready for a slot. */
public sealed interface TaskInvocation {

    /** The task's name. */
    String name();

    /** Variables, expanded, in order. */
    Map<String, String> env();

    /** The task's input; may be empty. */
    ExecutionInput.Payload input();

    /**
     * A process to start.
     *
     * @param argv program and arguments, expanded
     * @param env variables added to the container's environment
     * @param workingDir absent for the container's own
     */
    record Command(
            String name,
            List<String> argv,
            Map<String, String> env,
            Optional<String> workingDir,
            ExecutionInput.Payload input)
            implements TaskInvocation {}

    /**
     * A function to call.
     *
     * @param handler name of the function
     * @param env the context of the function: the variables of a process, without those of its slot
     */
    record Handler(String name, String handler, Map<String, String> env, ExecutionInput.Payload input)
            implements TaskInvocation {}
}
