package dev.quiver.lifecycle.execution;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The answer of a function in the format of effects: a JSON object. The end of a task has {@code result} and
 * {@code tasks}, which follow. A plan has {@code relPriority}, {@code tags}, {@code resources}, {@code fairnessKey},
 * {@code args} and {@code tasks}. A plan after which there is no more to do has {@code done}, {@code result} and
 * {@code tasks}. Both kinds of plans may have {@code undo}: tasks that would undo what the plan changed.
 *
 * @param fields the values in the words of the function
 */
public record Effects(Map<String, String> fields) {

    /** Bytes of tasks that one answer brings at most. */
    public static final int MOST_TASK_BYTES = 64 * 1024;

    /** Bytes of an answer at most: a result, tasks, and the words around them. */
    public static final int MAX_BYTES = TaskResult.MAX_BYTES + MOST_TASK_BYTES + 4096;

    private static final Set<String> OF_END = Set.of("result", "tasks");

    private static final Set<String> OF_PLAN =
            Set.of("relPriority", "tags", "resources", "fairnessKey", "args", "tasks", "undo");

    private static final String DONE = "done";

    private static final String UNDO = "undo";

    /**
     * The answer of this output.
     *
     * @throws IllegalArgumentException when it is no JSON object in UTF-8; {@link InputTooLargeException} with both sizes
     */
    public static Effects of(ExecutionInput.Payload output) {
        InputTooLargeException.check("the answer", output.bytes().length, MAX_BYTES);
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(output.bytes()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("the answer is not UTF-8", e);
        }
        if (!text.stripLeading().startsWith("{")) {
            throw new IllegalArgumentException("the answer is " + Utf8.firstBytes(text, 80)
                    + ", an object is needed: a result and tasks, or a plan");
        }
        return new Effects(RawJson.fields(text));
    }

    /** Copies the fields. */
    public Effects {
        fields = Map.copyOf(fields);
    }

    /**
     * The same as the end of a task, or as a plan.
     *
     * @throws IllegalArgumentException for a field that it does not have, by its name
     */
    public Effects checked(boolean plan) {
        Set<String> known = plan && !isDone() ? OF_PLAN : OF_END;
        for (String field : fields.keySet()) {
            if (!known.contains(field) && !(plan && (field.equals(DONE) || field.equals(UNDO)))) {
                throw new IllegalArgumentException("the answer of a " + (plan ? "plan" : "function") + " has no field "
                        + Utf8.firstBytes(field, 80));
            }
        }
        return this;
    }

    /** Whether an output of a plan says that nothing is left to do; false for one that makes no sense. */
    public static boolean endsTask(ExecutionInput.Payload output) {
        try {
            return output.format() == ExecutionInput.Format.EFFECTS
                    && of(output).isDone();
        } catch (IllegalArgumentException senseless) {
            return false;
        }
    }

    /** Whether this is the answer of a plan after which nothing is left to do. */
    public boolean isDone() {
        return "true".equals(fields.get(DONE));
    }

    /** The result as the function wrote it. */
    public Optional<String> result() {
        return Optional.ofNullable(fields.get("result"));
    }
}
