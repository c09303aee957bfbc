package dev.quiver.lifecycle.execution;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The answer of a function in the format of effects: a JSON object. The end of a task has {@code result} and
 * {@code tasks}, which follow. A plan has {@code relPriority}, {@code tags}, {@code resources}, {@code fairnessKey},
 * {@code args}, {@code tasks} and {@code before}, which end before the task is executed. A plan after which there is no more to do has {@code done}, {@code result} and
 * {@code tasks}. Both kinds of plans may have {@code undo}: tasks that would undo what the plan changed. A contingency has
 * {@code redo} where the task was not done, and else what a plan has that leaves nothing to do, but {@code undo}. A complex
 * task changes its {@code state} and its {@code markers}, beside a result.
 *
 * @param fields the values in the words of the function
 */
public record Effects(Map<String, String> fields) {

    /** Bytes of tasks that one answer brings at most. */
    public static final int MOST_TASK_BYTES = 64 * 1024;

    /** Bytes of an answer at most: a result, tasks, what a complex task changes, and the words around them. */
    public static final int MAX_BYTES = TaskResult.MAX_BYTES + 3 * MOST_TASK_BYTES + 4096;

    private static final Set<String> OF_END = Set.of("result", "tasks", "state", "markers");

    private static final Set<String> OF_PLAN =
            Set.of("relPriority", "tags", "resources", "fairnessKey", "args", "tasks", "before", "undo");

    private static final Set<String> OF_REDO = Set.of("redo");

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

    /** Those who answer. */
    public enum Of {
        /** The function that executes a task. */
        FUNCTION("no effects"),
        /** Its plan. */
        PLAN("no plan: it is made by the SDK's Plan"),
        /** Its contingency. */
        CONTINGENCY("neither that it was done nor that it was not: the SDK has Done and Redo");

        private final String made;

        Of(String made) {
            this.made = made;
        }

        /** The words on an answer that is none. */
        public String made() {
            return made;
        }

        private Set<String> known(boolean done) {
            return switch (this) {
                case FUNCTION -> OF_END;
                case PLAN -> done ? OF_END : OF_PLAN;
                case CONTINGENCY -> done ? OF_END : OF_REDO;
            };
        }

        private Set<String> beside() {
            return switch (this) {
                case FUNCTION -> Set.of();
                case PLAN -> Set.of(DONE, UNDO);
                case CONTINGENCY -> Set.of(DONE);
            };
        }
    }

    /**
     * The same, checked.
     *
     * @throws IllegalArgumentException for a field that it does not have, by its name; for a contingency that does not say
     */
    public Effects checked(Of of) {
        for (String field : fields.keySet()) {
            if (!of.known(isDone()).contains(field) && !of.beside().contains(field)) {
                throw new IllegalArgumentException("the answer of a "
                        + of.name().toLowerCase(Locale.ROOT) + " has no field " + Utf8.firstBytes(field, 80));
            }
        }
        if (of == Of.CONTINGENCY && !isDone() && !"true".equals(fields.get("redo"))) {
            throw new IllegalArgumentException("the contingency answered " + of.made());
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
