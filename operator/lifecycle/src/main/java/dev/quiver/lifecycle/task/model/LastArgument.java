package dev.quiver.lifecycle.task.model;

import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.redis.BinaryText;

/** The argument that a task gets after its own ones: the result before it, a chunk, or the results that it takes. */
public sealed interface LastArgument {

    /** A JSON document, in the words in which it was written. */
    record Json(String text) implements LastArgument {

        @Override
        public String json() {
            return text;
        }

        @Override
        public long bytes() {
            return Utf8.length(text);
        }
    }

    /**
     * An Arrow IPC stream. It goes into the slot as it is.
     *
     * @param stream not to be changed
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Arrow(byte[] stream) implements LastArgument {

        @Override
        public String json() {
            return TaskResult.base64(new ExecutionInput.Payload(stream, ExecutionInput.Format.ARROW, false));
        }

        @Override
        public long bytes() {
            return stream.length;
        }
    }

    /**
     * Arrow streams, in order, most of them in files: too large for one.
     *
     * @param json an array of objects, {@code {"locator": …, "format": "Arrow"}} or {@code {"base64": …, "format": "Arrow"}}
     */
    record References(String json) implements LastArgument {

        @Override
        public long bytes() {
            return Utf8.length(json);
        }
    }

    /** The same as a JSON document. */
    String json();

    /** Its length as it goes into the slot. */
    long bytes();

    /** The meaning of a chunk as Redis has it. */
    static LastArgument ofChunk(String stored) {
        return BinaryText.is(stored) ? new Arrow(BinaryText.bytes(stored)) : new Json(stored);
    }
}
