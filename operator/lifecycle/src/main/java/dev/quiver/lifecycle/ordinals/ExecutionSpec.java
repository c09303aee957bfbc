package dev.quiver.lifecycle.ordinals;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import io.soabase.recordbuilder.core.RecordBuilder;

import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.execution.TrialTimeouts;

/**
 * The specification of a set's tasks and their source, as kept in Redis. Immutable.
 *
 * @param taskSet name of the TaskSet
 * @param execution a command or a handler
 * @param env added to the container's environment, in order; a handler sees it as the task's context
 * @param input the input of every task; see {@link OrdinalItem#input()} for a task's own
 * @param source where tasks come from
 * @param timeLimit of one trial, from when a slot got the task, in whole milliseconds of at least one. A handler may
 *     ask for more, each time for at most this much from then. Absent: none
 * @param batch the most tasks of one dispatch to a handler, 1 to {@value #MAX_BATCH}; absent: as many as the worker
 *     thinks fit
 * @param maxTrials failed trials that end a task, which the task finds in its context; 0 while that is not known. Not
 *     part of the stored JSON: it comes from the limits of the source
 * @param recording what is recorded of its trials; absent: nothing
 * @param failures what a failed trial means
 * @param reports whether a task writes a report of test cases as JUnit XML, by which its end is judged
 * @param timeouts limits of a trial that follow from how long its task takes, up to the time limit; absent: that alone
 * @param speculates whether a task that takes long may run a second time beside itself, at another worker
 */
@RecordBuilder
public record ExecutionSpec(
        String taskSet,
        Execution execution,
        List<EnvVar> env,
        Optional<ExecutionInput> input,
        TaskSource source,
        Optional<Duration> timeLimit,
        Optional<Integer> batch,
        int maxTrials,
        Optional<Recording> recording,
        FailureRules failures,
        boolean reports,
        Optional<TrialTimeouts> timeouts,
        boolean speculates) {

    /** The most tasks that one dispatch can have. */
    public static final int MAX_BATCH = 64;

    /** Copies the lists; refuses a limit below a millisecond and a batch outside its bounds. */
    public ExecutionSpec {
        Objects.requireNonNull(taskSet, "taskSet");
        Objects.requireNonNull(execution, "execution");
        Objects.requireNonNull(input, "input");
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(timeLimit, "timeLimit");
        Objects.requireNonNull(recording, "recording");
        Objects.requireNonNull(failures, "failures");
        Objects.requireNonNull(timeouts, "timeouts");
        env = List.copyOf(env);
        timeLimit = timeLimit.map(limit -> limit.truncatedTo(ChronoUnit.MILLIS));
        if (timeLimit.filter(limit -> !limit.isPositive()).isPresent()) {
            throw new IllegalArgumentException("timeLimit must be at least 1 ms");
        }
        if (batch.filter(tasks -> tasks < 1 || tasks > MAX_BATCH).isPresent()) {
            throw new IllegalArgumentException("batch must be 1 to " + MAX_BATCH + ": " + batch.get());
        }
    }

    /** A set whose limits are not known. */
    public ExecutionSpec(
            String taskSet,
            Execution execution,
            List<EnvVar> env,
            Optional<ExecutionInput> input,
            TaskSource source,
            Optional<Duration> timeLimit) {
        this(
                taskSet,
                execution,
                env,
                input,
                source,
                timeLimit,
                Optional.empty(),
                0,
                Optional.empty(),
                FailureRules.NONE,
                false,
                Optional.empty(),
                false);
    }

    /** A set whose trials have no time limit. */
    public ExecutionSpec(
            String taskSet, Execution execution, List<EnvVar> env, Optional<ExecutionInput> input, TaskSource source) {
        this(taskSet, execution, env, input, source, Optional.empty());
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

    /** The same spec with this limit for each trial. */
    public ExecutionSpec within(Duration limit) {
        return ExecutionSpecBuilder.builder(this).timeLimit(Optional.of(limit)).build();
    }

    /** The same spec with so many trials for each task. */
    public ExecutionSpec allowing(int trials) {
        return ExecutionSpecBuilder.builder(this).maxTrials(trials).build();
    }

    /** The same spec with at most so many tasks in one dispatch; absent: as many as the worker thinks fit. */
    public ExecutionSpec batched(Optional<Integer> tasks) {
        return ExecutionSpecBuilder.builder(this).batch(tasks).build();
    }

    /** The same spec whose trials are recorded so; absent: they are not. */
    public ExecutionSpec recorded(Optional<Recording> how) {
        return ExecutionSpecBuilder.builder(this).recording(how).build();
    }

    /** The same spec in which failed trials mean this. */
    public ExecutionSpec failing(FailureRules rules) {
        return ExecutionSpecBuilder.builder(this).failures(rules).build();
    }

    /** The same spec whose tasks write a report, or do not. */
    public ExecutionSpec reporting(boolean junit) {
        return ExecutionSpecBuilder.builder(this).reports(junit).build();
    }

    /** The same spec with these limits of a trial; absent: none but the time limit. */
    public ExecutionSpec limiting(Optional<TrialTimeouts> limits) {
        return ExecutionSpecBuilder.builder(this).timeouts(limits).build();
    }

    /** The same spec whose tasks may run twice at the same time, or may not. */
    public ExecutionSpec speculating(boolean twice) {
        return ExecutionSpecBuilder.builder(this).speculates(twice).build();
    }

    /** The handler that a worker must serve to run these tasks; absent for commands, which every worker runs. */
    public Optional<String> handler() {
        return execution instanceof Execution.Handler(String name) ? Optional.of(name) : Optional.empty();
    }

    /**
     * A variable of the environment.
     *
     * @param name a C identifier
     * @param value may refer as {@code $(NAME)} to earlier variables and to those of Quiver, not to the container's own
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

        /** The number of tasks known from the start; 0 for a fed source. */
        long tasks();

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

            @Override
            public long tasks() {
                return MatrixOrder.size(keys);
            }
        }

        /** Each payload is an item as JSON: {@code {"name", "args", "env", "input"}}. */
        record Items() implements TaskSource {
            @Override
            public boolean fed() {
                return true;
            }

            @Override
            public long tasks() {
                return 0;
            }
        }

        /** Each payload is a line: an item as JSON when it starts with <code>{</code>, else a task with one argument. */
        record Lines() implements TaskSource {
            @Override
            public boolean fed() {
                return true;
            }

            @Override
            public long tasks() {
                return 0;
            }
        }

        /**
         * Some tasks of another source, with their numbers and names there. Each payload is the number there. Where that
         * source is fed, a line end and the payload there follow: no line of a source has a line end within.
         *
         * @param of that source; no picked one itself
         */
        record Picked(TaskSource of) implements TaskSource {

            /** Refuses a source that is picked itself. */
            public Picked {
                if (of instanceof Picked) {
                    throw new IllegalArgumentException("tasks are picked of a source that was read");
                }
            }

            /** The payload of a task. */
            public static String payload(long number, Optional<String> payload) {
                return payload.map(text -> number + "\n" + text).orElseGet(() -> Long.toString(number));
            }

            @Override
            public boolean fed() {
                return true;
            }

            @Override
            public long tasks() {
                return 0;
            }
        }
    }
}
