package dev.quiver.lifecycle.wires.queue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.execution.TaskInvocation;

/**
 * One trial of a job's map, of one of its chunks, or of its reduce.
 *
 * @param source of the pool
 * @param unit the letter of its part, and its key on the wire
 * @param retries trials that were begun before
 * @param data of the job or of the chunk, or the results as an array; absent until the results were read
 */
record QueueTask(String source, String unit, QueueType type, int retries, Optional<String> data)
        implements RunnableTask {

    Part part() {
        return Part.of(unit);
    }

    /** Its key on the wire. */
    String key() {
        return unit.substring(1);
    }

    /** The same with the results of its chunks. */
    QueueTask with(String results) {
        return new QueueTask(source, unit, type, retries, Optional.of(results));
    }

    @Override
    public String id() {
        return RunnableTask.id(source, unit);
    }

    @Override
    public String name() {
        return part().function(type.name());
    }

    @Override
    public int trial() {
        return retries + 1;
    }

    @Override
    public int maxTrials() {
        return type.retries() + 1;
    }

    @Override
    public Optional<Duration> timeLimit() {
        return Optional.of(type.timeout());
    }

    @Override
    public Optional<String> handler() {
        return Optional.of(part().function(type.handler()));
    }

    @Override
    public boolean wantsResult() {
        return true;
    }

    @Override
    public boolean brings() {
        return part() == Part.MAP;
    }

    @Override
    public boolean isReady() {
        return data.isPresent();
    }

    @Override
    public long inputBytes() {
        return data.map(String::length).orElse(0);
    }

    @Override
    public QueueTask dispatched() {
        return new QueueTask(source, unit, type, retries, Optional.empty());
    }

    @Override
    public TaskInvocation render(SlotFacts facts) {
        String argument = data.filter(text -> !text.isBlank()).orElse("null");
        byte[] input = ("[" + argument + "]").getBytes(StandardCharsets.UTF_8);
        InputTooLargeException.check("data", input.length, facts.inputBytes());
        Map<String, String> env = new LinkedHashMap<>();
        env.put("QUIVER_TASK", key());
        env.put("QUIVER_TRIAL", Integer.toString(trial()));
        return new TaskInvocation.Handler(
                name(),
                part().function(type.handler()),
                env,
                new ExecutionInput.Payload(input, ExecutionInput.Format.ARGUMENTS, false));
    }
}
