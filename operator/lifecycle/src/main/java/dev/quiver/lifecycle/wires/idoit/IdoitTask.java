package dev.quiver.lifecycle.wires.idoit;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;

import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.execution.RecordedTask;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.execution.TaskInvocation;
import dev.quiver.lifecycle.history.QueueTaskNumber;

/**
 * One trial of a task of the wire, or one call of an iterator, as a claim brings it.
 *
 * @param source the queue that it waited in
 * @param key its id on the wire
 * @param uid of this life of the id, as JSON
 * @param type by the name that the wire has
 * @param tries how often it was begun, this time included
 * @param retries how often it failed and was tried again
 * @param args as the wire has them: a JSON array
 * @param options that Quiver gave it
 * @param progress of an iterator: children made and ended, and its data; else empty
 * @param recording how tasks of its pool are recorded; absent: they are not
 */
record IdoitTask(
        String source,
        String key,
        String uid,
        IdoitType type,
        int tries,
        int retries,
        String args,
        IdoitOptions options,
        String progress,
        Optional<Recording> recording)
        implements RunnableTask {

    /** Children that may be alive at once: the wire has no field for it. The scripts know the same number. */
    static final int WINDOW = 1000;

    /** Whether this is a call of an iterator. */
    boolean iterator() {
        return !progress.isEmpty();
    }

    private String[] facts() {
        return progress.split(" ", 3);
    }

    /** Children that an iterator may add now. */
    int room() {
        String[] facts = facts();
        return (int) Math.max(0, WINDOW - (Long.parseLong(facts[0]) - Long.parseLong(facts[1])));
    }

    /** The data of an iterator, in the words of the wire. */
    String data() {
        return facts()[2];
    }

    /** The state of an iterator; JSON's null where it has none. */
    String state() {
        JsonNode state = JsJson.read(data()).path("state");
        return state.isMissingNode() ? "null" : JsJson.write(state);
    }

    @Override
    public String id() {
        return RunnableTask.id(source, key);
    }

    @Override
    public String name() {
        return options.node().orElse(type.name());
    }

    /** How often it was begun: what another program's watchdog gave back counts, too. */
    @Override
    public int trial() {
        return tries;
    }

    @Override
    public int maxTrials() {
        return options.maxTrials().orElse(type.maxTrials());
    }

    /** Whether no trial is left when this one fails. */
    boolean last() {
        return (iterator() ? tries : retries + 1) >= maxTrials();
    }

    RetryBackoff backoff() {
        return options.backoff().orElseGet(() -> new RetryBackoff(type.backoff(), 1, type.backoff(), 0));
    }

    @Override
    public Optional<Duration> timeLimit() {
        return options.timeLimit().or(() -> Optional.of(type.timeout()));
    }

    @Override
    public Optional<String> handler() {
        return Optional.of(type.handler());
    }

    /** In the hour of its pool's queue; calls of iterators are no trials there. */
    @Override
    public Optional<RecordedTask> recorded() {
        return recording
                .filter(how -> !iterator())
                .map(how -> new RecordedTask(source, QueueTaskNumber.number(key), how, Optional.of(key)));
    }

    @Override
    public boolean wantsResult() {
        return true;
    }

    @Override
    public TaskInvocation render(SlotFacts facts) {
        byte[] input = arguments().getBytes(StandardCharsets.UTF_8);
        InputTooLargeException.check("args", input.length, facts.inputBytes());
        Map<String, String> env = new LinkedHashMap<>();
        env.put("QUIVER_TASK", name());
        env.put("QUIVER_TRIAL", Integer.toString(tries));
        return new TaskInvocation.Handler(
                name(), type.handler(), env, new ExecutionInput.Payload(input, ExecutionInput.Format.ARGUMENTS, false));
    }

    /** The positional arguments; of an iterator one object with what it has made so far. */
    String arguments() {
        if (!iterator()) {
            return args;
        }
        String[] facts = facts();
        return "[{\"state\":" + state() + ",\"created\":" + facts[0] + ",\"finished\":" + facts[1] + ",\"room\":"
                + room() + ",\"args\":" + args + "}]";
    }
}
