package dev.quiver.supervisor.engine.session;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.execution.TaskInvocation;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.WorkSource;

/**
 * A source of work that is no TaskSet: what the engine needs of any.
 *
 * @param handler what all of its tasks need; absent where they differ
 * @param batch tasks of one dispatch, if it wants that
 */
public record MemorySource(
        String id, Optional<String> handler, Optional<Integer> batch, Function<StepRequest, StepCall> steps)
        implements WorkSource {

    @Override
    public List<String> handlers() {
        return handler.stream().toList();
    }

    /** Time limit of each task. */
    public static final Duration LIMIT = Duration.ofHours(1);

    public static MemorySource named(String id) {
        return new MemorySource(id, Optional.empty(), Optional.empty(), request -> {
            throw new IllegalStateException("not stepped in this test");
        });
    }

    @Override
    public StepCall prepare(StepRequest request) {
        return steps.apply(request);
    }

    /** A task, each with an execution of its own. */
    public record Task(String source, long number, Optional<String> handler, int trial) implements RunnableTask {

        @Override
        public String id() {
            return source + "/" + number;
        }

        @Override
        public String name() {
            return Long.toString(number);
        }

        @Override
        public int maxTrials() {
            return 3;
        }

        @Override
        public Optional<Duration> timeLimit() {
            return Optional.of(LIMIT);
        }

        @Override
        public TaskInvocation render(SlotFacts facts) {
            return handler.<TaskInvocation>map(
                            called -> new TaskInvocation.Handler(name(), called, Map.of(), ExecutionInput.Payload.NONE))
                    .orElseGet(() -> new TaskInvocation.Command(
                            name(), List.of("true"), Map.of(), Optional.empty(), ExecutionInput.Payload.NONE));
        }
    }
}
