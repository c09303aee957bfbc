package dev.quiver.lifecycle.task.chunks;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

import dev.quiver.lifecycle.arrow.ArrowStream;
import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.RawJson;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.task.model.Chunks;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.rows.StoredResult;
import dev.quiver.lifecycle.task.work.IteratorAnswer;

/**
 * Some of the chunks of a node, in order. Immutable. No I/O.
 *
 * <p>A task that brings its chunks in pages answers, as an iterator does, null when there are no more, {@code {}} for
 * not now, or {@code {"state": …, "chunks": […]}}. The chunks of any other task are one page, the last one.
 *
 * @param base chunks of the pages before this one
 * @param chunks each as Redis keeps it
 * @param last whether no page follows
 * @param state JSON for the call that makes the next page; absent where it stays as it is
 */
public record ChunkPage(int base, List<String> chunks, boolean last, Optional<String> state) {

    /** Chunks of a page at most. */
    public static final int MOST = TreeNode.MAX_CHILDREN;

    private static final JsonMapper JSON = new JsonMapper();

    /** Copies the list. */
    public ChunkPage {
        chunks = List.copyOf(chunks);
    }

    /** All chunks of a node. */
    public static ChunkPage all(List<String> chunks) {
        return new ChunkPage(0, chunks, true, Optional.empty());
    }

    /**
     * The page in an answer. An answer with a result is the last one, as of an iterator, and nobody gets the result.
     *
     * @param base chunks of the pages before it
     * @param ofCommand whether a command wrote it, which may have printed it instead
     * @throws IllegalArgumentException with the fault
     */
    static ChunkPage of(ExecutionInput.Payload answer, int base, boolean ofCommand) {
        if (ofCommand && answer.bytes().length == 0) {
            throw new IllegalArgumentException(
                    "the file $QUIVER_OUTPUT is empty: a page is what a command writes there,"
                            + " not what it prints; null ends the pages");
        }
        if (answer.locator() || ArrowStream.begins(answer.bytes())) {
            throw new IllegalArgumentException("the page is no JSON: " + NEEDED);
        }
        String text = Chunks.text(answer.bytes());
        if (text.isBlank() || text.strip().equals("null")) {
            return new ChunkPage(base, List.of(), true, Optional.empty());
        }
        Map<String, String> words = fields(text);
        if (words.containsKey("result")) {
            return new ChunkPage(base, List.of(), true, Optional.empty());
        }
        if (words.containsKey("tasks")) {
            throw new IllegalArgumentException("the page has tasks: " + NEEDED);
        }
        Optional<String> state = Optional.ofNullable(words.get("state"));
        int bytes = state.map(Utf8::length).orElse(0);
        if (bytes > IteratorAnswer.BYTES) {
            throw new IllegalArgumentException(
                    "the state has " + bytes + " bytes, at most " + IteratorAnswer.BYTES + " are allowed");
        }
        return new ChunkPage(base, chunks(words.get("chunks")), false, state);
    }

    private static List<String> chunks(String array) {
        if (array == null) {
            return List.of();
        }
        Chunks.checkCount(RawJson.size("chunks", array), MOST);
        return Chunks.checked(RawJson.elements(array), MOST);
    }

    private static final String NEEDED = "null or an object with state and chunks is needed";

    private static Map<String, String> fields(String text) {
        if (!text.strip().startsWith("{")) {
            throw new IllegalArgumentException("the page is " + Utf8.firstBytes(text, 80) + ": " + NEEDED);
        }
        return RawJson.fields(text);
    }

    /** The number of chunks with those of the pages before it. */
    int end() {
        return base + chunks.size();
    }

    /** Whether there is anything to bring. */
    boolean isEmpty() {
        return chunks.isEmpty() && !last;
    }

    /** An iterator's answer in the form that the step's script takes. */
    String answer() {
        ObjectNode out = JSON.createObjectNode();
        state.ifPresent(words -> out.put("state", "S" + words));
        if (last) {
            out.put("done", true).put("result", StoredResult.text(TaskResult.of(Integer.toString(end()))));
        }
        return out.put("chunks", chunks.size()).toString();
    }
}
