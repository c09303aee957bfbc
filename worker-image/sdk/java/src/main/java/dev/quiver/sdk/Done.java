package dev.quiver.sdk;

import java.io.IOException;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The end of a task with tasks that are created in the very step that records the result: all of it, or nothing.
 *
 * <p>A handler returns it in place of another output, and a {@link BatchHandler} in a {@link Result}. As the answer of a
 * plan, see {@link Plan#done}, it ends the task before its function is called.
 *
 * <pre>{@code
 * "save-draft", (input, task) -> Done.of("{\"saved\":true}", List.of("{\"handler\":\"sync\",\"args\":[1]}"))
 * }</pre>
 */
public final class Done implements Output {
    private final String result;
    private final List<String> tasks;
    private final List<String> members;
    private final List<Change> changes;
    private final Map<String, String> markers;
    private final Effects effects;

    private Done(String result, List<String> tasks) throws DoNotRetryException {
        this(
                result,
                List.copyOf(tasks),
                Effects.tasks("Done", "tasks", tasks, Effects.MOST_TASK_BYTES),
                List.of(),
                Map.of());
    }

    private Done(
            String result, List<String> tasks, List<String> member, List<Change> changes, Map<String, String> markers) {
        List<String> all = new ArrayList<>();
        if (result != null) {
            all.add("\"result\":" + Effects.value("Done: result", result));
        }
        all.addAll(member);
        this.result = result;
        this.tasks = tasks;
        this.members = List.copyOf(all);
        this.changes = List.copyOf(changes);
        this.markers = Collections.unmodifiableMap(new LinkedHashMap<>(markers));
        this.effects = Effects.of(members);
    }

    /**
     * An end without tasks.
     *
     * @param result one JSON value; null is no result
     * @throws IllegalArgumentException for a result that is no JSON
     */
    public static Done of(String result) {
        return new Done(result, List.of(), List.of(), List.of(), Map.of());
    }

    /**
     * An end with tasks.
     *
     * @param result one JSON value; null is no result
     * @param tasks JSON objects, such as {@code {"handler":"sync","args":[7]}}; at most 64, and 64 KiB together
     * @throws DoNotRetryException for more tasks than that, with both numbers
     * @throws IllegalArgumentException for a result that is no JSON, or a task that is no object
     */
    public static Done of(String result, List<String> tasks) throws DoNotRetryException {
        return new Done(result, tasks);
    }

    /**
     * The same with what a complex task changes.
     *
     * @param changes of its state, each of another field; at most 1,024
     * @param markers ids to JSON objects of what each says, such as {@code {"args":[1],"tags":["send"],"count":2}}. Null
     *     withdraws one. They are 64 at most, and the worker takes 64 tasks of them
     * @throws DoNotRetryException for more than that, or more than 64 KiB of both
     * @throws IllegalArgumentException for a field that is changed twice, another name, and for a marker that is no object
     */
    public Done changing(List<Change> changes, Map<String, String> markers) throws DoNotRetryException {
        List<String> member = tasks.isEmpty() ? List.of() : members.subList(members.size() - 1, members.size());
        Done done = new Done(result, tasks, member, changes, markers);
        Changes.check(done.changes, done.markers);
        return done;
    }

    private void checkPlain() {
        if (!changes.isEmpty() || !markers.isEmpty()) {
            throw new IllegalStateException("Done: state and markers are of a complex task: ComplexHandler serves one");
        }
    }

    /** The changes of a state. */
    public List<Change> changes() {
        return changes;
    }

    /** The markers that it has, or withdraws. */
    public Map<String, String> markers() {
        return markers;
    }

    /** As the output of a marker's execution. */
    Output ofExecution() {
        return Effects.of(Stream.concat(members.stream(), Changes.members(changes, markers).stream())
                .toList());
    }

    /** As the output of the plan, or the contingency, of a complex task. */
    Output ofComplexPlan() {
        return withDone(Changes.members(changes, markers));
    }

    /** The result's JSON text; empty where there is none. */
    public Optional<String> result() {
        return Optional.ofNullable(result);
    }

    /** The tasks' JSON texts. */
    public List<String> tasks() {
        return tasks;
    }

    /** The same as what a plan says, with one more member or none. */
    Effects ofPlan(List<String> more) {
        checkPlain();
        return withDone(more);
    }

    private Effects withDone(List<String> more) {
        return Effects.of(Stream.of(List.of("\"done\":true"), members, more)
                .flatMap(List::stream)
                .toList());
    }

    @Override
    public Format format() {
        return effects.format();
    }

    @Override
    public long length() {
        checkPlain();
        return effects.length();
    }

    @Override
    public void writeTo(WritableByteChannel channel) throws IOException {
        effects.writeTo(channel);
    }
}
