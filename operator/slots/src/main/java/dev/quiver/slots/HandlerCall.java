package dev.quiver.slots;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A function of the slot's handler process. Immutable.
 *
 * @param handler the name under which the process announced it, 1 to {@value #MAX_NAME_BYTES} bytes of UTF-8 without
 *     control characters
 * @param env what the function is shown as the task's environment, at most {@value Command#MAX_STRINGS} variables; the
 *     process's own environment stays as it is
 * @param streamKib KiB of stdout, and as many of stderr, that the agent keeps on a disk of what the process prints for
 *     the call. 0 to {@value Command#MAX_STREAM_KIB}; with 0 nothing is kept of a call that passes
 */
public record HandlerCall(String handler, Map<String, String> env, int streamKib) implements SlotProgram {
    /** The longest name, in bytes. */
    public static final int MAX_NAME_BYTES = 128;

    /** Copies the variables, keeping their order. The dispatch finds faults, see {@link Dispatch.Invalid}. */
    public HandlerCall {
        env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
    }

    /** A call of which nothing is kept. */
    public HandlerCall(String handler, Map<String, String> env) {
        this(handler, env, 0);
    }

    /** A call without variables. */
    public static HandlerCall of(String handler) {
        return new HandlerCall(handler, Map.of());
    }

    /** The same call with so many KiB of each stream. It has to be dispatched by itself. */
    public HandlerCall keepingStreams(int kib) {
        return new HandlerCall(handler, env, kib);
    }
}
