package dev.quiver.lifecycle.taskset;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One run of a task, ready to be handed over.
 *
 * @param name the task's name
 * @param argv program and arguments, expanded
 * @param env what is added to the container's environment, expanded, in order
 * @param workingDir absent for the container's own
 */
public record TaskInvocation(String name, List<String> argv, Map<String, String> env, Optional<String> workingDir) {}
