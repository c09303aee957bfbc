package dev.quiver.lifecycle.task.rows;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.ordinals.CombineTree;
import dev.quiver.lifecycle.redis.BinaryText;
import dev.quiver.lifecycle.task.model.Scratch;

/** A result or error of a node as the scripts keep it. No I/O. */
public sealed interface StoredResult {

    /** A value. */
    record Value(TaskResult result) implements StoredResult {}

    /**
     * An Arrow IPC stream, as it is kept of a chunk and of a combine.
     *
     * @param stream not to be changed
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Arrow(byte[] stream) implements StoredResult {}

    /**
     * An Arrow stream in a file of the workers' {@link Scratch}.
     *
     * @param path of the file
     */
    record Reference(String path) implements StoredResult {

        /** As a value has it. */
        public String json() {
            return TaskResult.located(path, ExecutionInput.Format.ARROW);
        }

        /** As it is kept. */
        public String text() {
            return "L" + path;
        }
    }

    /** The result of another node of the tree. */
    record Of(long ordinal) implements StoredResult {}

    /** The array of the results of the children. */
    record OfChildren() implements StoredResult {}

    /**
     * The array of the results of the chunks.
     *
     * @param combines the numbers that they have; absent where a worker of an earlier release wrote it
     */
    record OfChunks(Optional<CombineTree> combines) implements StoredResult {

        private static final Pattern NUMBERS = Pattern.compile("\\d+ (\\d{1,15}) (\\d{1,9})");

        /** The number of results, and maybe the numbers of the combines, with spaces between. */
        private static OfChunks of(String text) {
            Matcher numbers = NUMBERS.matcher(text);
            return new OfChunks(
                    numbers.matches()
                            ? Optional.of(new CombineTree(
                                    Long.parseLong(numbers.group(1)), Integer.parseInt(numbers.group(2))))
                            : Optional.empty());
        }
    }

    /**
     * An error.
     *
     * @param json reason and message, as {@code TaskFailureJson} or a script wrote it
     */
    record Error(String json) implements StoredResult {}

    /** The error of another node of the tree. */
    record ErrorOf(long ordinal) implements StoredResult {}

    /** The text of a value. */
    public static String text(TaskResult result) {
        return "J" + (result.elements() < 0 ? "" : result.elements()) + "\n" + result.json();
    }

    /** The meaning of a text; absent for none, for the state of an iterator that goes on, and for a plan's arguments. */
    static Optional<StoredResult> parse(String text) {
        if (text == null || text.isEmpty() || text.startsWith("S") || text.startsWith("P")) {
            return Optional.empty();
        }
        if (BinaryText.is(text)) {
            return Optional.of(new Arrow(BinaryText.bytes(text)));
        }
        String rest = text.substring(1);
        return Optional.of(
                switch (text.charAt(0)) {
                    case 'J' -> {
                        int line = rest.indexOf('\n');
                        if (line < 0) {
                            throw new IllegalArgumentException("a result has no line with its length");
                        }
                        String elements = rest.substring(0, line);
                        yield new Value(new TaskResult(
                                rest.substring(line + 1), elements.isEmpty() ? -1 : Integer.parseInt(elements)));
                    }
                    case 'L' -> new Reference(rest);
                    case '@' -> new Of(Long.parseLong(rest));
                    case '*' -> new OfChildren();
                    case '#' -> OfChunks.of(rest);
                    case 'E' -> new Error(rest);
                    case '!' -> new ErrorOf(Long.parseLong(rest));
                    default -> throw new IllegalArgumentException("no result begins with " + text.charAt(0));
                });
    }
}
