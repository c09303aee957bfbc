package dev.quiver.sdk;

import java.io.IOException;
import java.nio.channels.WritableByteChannel;
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
    private static final String EXECUTED = "a function changes nothing before it is executed";
    private static final String ASKED = "a contingency changes nothing";

    private final String result;
    private final Listed tasks;
    private final Listed undo;
    private final List<Change> changes;
    private final Map<String, String> markers;
    private final List<String> members; // without what a complex task changes
    private final Effects effects;

    /** Tasks, and the member of an answer that has them; none without tasks. */
    private record Listed(List<String> tasks, List<String> member) {
        private static final Listed NONE = new Listed(List.of(), List.of());

        static Listed of(String kind, String word, List<String> tasks, int most) throws DoNotRetryException {
            return new Listed(List.copyOf(tasks), Effects.tasks(kind, word, tasks, most));
        }
    }

    private Done(String result, Listed tasks, Listed undo, List<Change> changes, Map<String, String> markers) {
        this.result = result;
        this.tasks = tasks;
        this.undo = undo;
        this.changes = List.copyOf(changes);
        this.markers = Collections.unmodifiableMap(new LinkedHashMap<>(markers));
        List<String> ofResult =
                result == null ? List.of() : List.of("\"result\":" + JsonValues.value("Done: result", result));
        this.members = joined(ofResult, tasks.member, undo.member);
        this.effects = Effects.of(members);
    }

    private static List<String> joined(List<String> first, List<String> second, List<String> third) {
        return Stream.of(first, second, third).flatMap(List::stream).toList();
    }

    /**
     * An end without tasks.
     *
     * @param result one JSON value; null is no result
     * @throws IllegalArgumentException for a result that is no JSON
     */
    public static Done of(String result) {
        return new Done(result, Listed.NONE, Listed.NONE, List.of(), Map.of());
    }

    /**
     * An end with tasks.
     *
     * @param result one JSON value; null is no result
     * @param tasks JSON objects, such as {@code {"handler":"sync","args":[7]}}; at most 64 with 200 nodes, and 64 KiB together
     * @throws DoNotRetryException for more tasks than that, with both numbers
     * @throws IllegalArgumentException for a result that is no JSON. It names field and value of a task that the worker would
     *     not take
     */
    public static Done of(String result, List<String> tasks) throws DoNotRetryException {
        return new Done(
                result, Listed.of("Done", "tasks", tasks, Effects.MOST_TASK_BYTES), Listed.NONE, List.of(), Map.of());
    }

    /**
     * The same with tasks that would undo what this plan has changed, in place of others. A plan alone may answer so, also that
     * of a complex task.
     *
     * @param undo JSON objects, at most 64, and 16 KiB together; kept where {@link Task#undo} is true
     * @throws DoNotRetryException for more tasks than that, with both numbers
     * @throws IllegalArgumentException with field and value, for a task that the worker would not take
     */
    public Done undoing(List<String> undo) throws DoNotRetryException {
        return undoing("Done", undo);
    }

    Done undoing(String kind, List<String> tasksOfUndo) throws DoNotRetryException {
        return new Done(result, tasks, Listed.of(kind, "undo", tasksOfUndo, Effects.MOST_UNDO_BYTES), changes, markers);
    }

    /**
     * The same with what a complex task changes, in place of other changes.
     *
     * <p>A marker may have {@code args}, a list; {@code count}, 1 to 64 tasks; and {@code parallel}, true to take no turns.
     * It may have {@code relPriority}, -99999 to 99999; {@code tags}, at most 8 names; and {@code fairnessKey}, a name. Its
     * {@code resources} are at most 7 names, or 8 with {@code parallel}. It may also have {@code maxTrials}, 1 to 100;
     * {@code activeDeadlineSeconds}, 1 at least; {@code contingency}, true or false; and {@code name}, a text. Its {@code backoff} has {@code initialSeconds} and
     * {@code maxSeconds}, 0 to 604800, {@code factor}, 1 to 10, and {@code jitterPercent}, 0 to 100. A name has 1 to 128
     * printable characters of ASCII without blanks, and so has an id.
     *
     * @param changes of its state, each of another field; at most 1,024
     * @param markers ids to JSON objects of what each says, such as {@code {"args":[1],"tags":["send"],"count":2}}. Null
     *     withdraws one. They are 64 at most, with 64 tasks of them together
     * @throws DoNotRetryException for more than that, more than 64 KiB of both, or more than 128 KiB of markers, each as often
     *     as it has tasks
     * @throws IllegalArgumentException with field and value: for a field that is changed twice, for another id, and for a
     *     marker with anything else than that
     */
    public Done changing(List<Change> changes, Map<String, String> markers) throws DoNotRetryException {
        Done done = new Done(result, tasks, undo, changes, markers);
        Changes.check(done.changes, done.markers);
        return done;
    }

    private void checkUndo(String why) {
        if (!undo.tasks.isEmpty()) {
            throw new IllegalStateException("Done: undo is of a plan: " + why);
        }
    }

    private void checkPlain() {
        if (!changes.isEmpty() || !markers.isEmpty()) {
            throw new IllegalStateException("Done: state and markers are of a complex task: ComplexHandler serves one");
        }
    }

    /** The result's JSON text; empty where there is none. */
    public Optional<String> result() {
        return Optional.ofNullable(result);
    }

    /** The tasks' JSON texts. */
    public List<String> tasks() {
        return tasks.tasks;
    }

    /** The JSON texts of the tasks that would undo a plan. */
    public List<String> undo() {
        return undo.tasks;
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
        checkUndo(EXECUTED);
        return Effects.of(joined(members, Changes.members(changes, markers), List.of()));
    }

    /** As the output of the plan of a complex task. */
    Output ofComplexPlan() {
        return withDone(Changes.members(changes, markers));
    }

    /** As the output of the contingency of a complex task. */
    Output ofComplexContingency() {
        checkUndo(ASKED);
        return ofComplexPlan();
    }

    /** As the output of a plan. */
    Effects ofPlan() {
        checkPlain();
        return withDone(List.of());
    }

    /** As the output of a contingency. */
    Output ofContingency() {
        checkUndo(ASKED);
        return ofPlan();
    }

    private Effects withDone(List<String> more) {
        return Effects.of(joined(List.of("\"done\":true"), members, more));
    }

    @Override
    public Format format() {
        return effects.format();
    }

    @Override
    public long length() {
        checkUndo(EXECUTED);
        checkPlain();
        return effects.length();
    }

    @Override
    public void writeTo(WritableByteChannel channel) throws IOException {
        effects.writeTo(channel);
    }
}
