package dev.quiver.lifecycle.taskset;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What the tasks of a set execute and where they come from, as kept in Redis. Immutable.
 *
 * @param taskSet name of the TaskSet
 * @param execution a command or a handler
 * @param env added to the container's environment, in order; a handler sees it as the task's context
 * @param input what every task is given; see {@link TaskItem#input()} for a task's own
 * @param source where tasks come from
 */
public record ExecutionSpec(
        String taskSet, Execution execution, List<EnvVar> env, Optional<TaskInput> input, TaskSource source) {

    /** Copies the lists. */
    public ExecutionSpec {
        Objects.requireNonNull(taskSet, "taskSet");
        Objects.requireNonNull(execution, "execution");
        Objects.requireNonNull(input, "input");
        Objects.requireNonNull(source, "source");
        env = List.copyOf(env);
    }

    /** A set of commands without input. */
    public ExecutionSpec(
            String taskSet,
            List<String> command,
            List<String> args,
            List<EnvVar> env,
            Optional<String> workingDir,
            TaskSource source) {
        this(taskSet, new Execution.Command(command, args, workingDir), env, Optional.empty(), source);
    }

    /** The handler that a worker must serve to run these tasks; absent for commands, which every worker runs. */
    public Optional<String> handler() {
        return execution instanceof Execution.Handler(String name) ? Optional.of(name) : Optional.empty();
    }

    /**
     * A variable of the environment.
     *
     * @param name a C identifier
     * @param value may refer as {@code $(NAME)} to earlier ones and to what Quiver sets, not to the container's own
     */
    public record EnvVar(String name, String value) {
        /** Both must be present. */
        public EnvVar {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(value, "value");
        }
    }

    /** Where tasks come from. */
    public sealed interface TaskSource {

        /** Whether payloads are fed; otherwise tasks follow from the spec and the ordinal. */
        boolean fed();

        /** {@code tasks} of them, named by their index. */
        record Count(long tasks) implements TaskSource {
            /** 1 to 1,000,000,000. */
            public Count {
                if (tasks < 1 || tasks > 1_000_000_000L) {
                    throw new IllegalArgumentException("count must be 1 to 1000000000: " + tasks);
                }
            }

            @Override
            public boolean fed() {
                return false;
            }
        }

        /** All combinations, the last key varying fastest. Keys keep their order. */
        record Matrix(Map<String, List<String>> keys) implements TaskSource {
            /** Copies in order; every key needs a value. */
            public Matrix {
                keys = MatrixOrder.copy(keys);
            }

            @Override
            public boolean fed() {
                return false;
            }
        }

        /** Each payload is an item as JSON: {@code {"name", "args", "env", "input"}}. */
        record Items() implements TaskSource {
            @Override
            public boolean fed() {
                return true;
            }
        }

        /** Each payload is a line: an item as JSON when it starts with <code>{</code>, else a task with one argument. */
        record Lines() implements TaskSource {
            @Override
            public boolean fed() {
                return true;
            }
        }
    }
}
