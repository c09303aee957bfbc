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
 */
public record HandlerCall(String handler, Map<String, String> env) implements Execution {
    /** The longest name, in bytes. */
    public static final int MAX_NAME_BYTES = 128;

    /** Copies the variables, keeping their order. The hand-over finds faults, see {@link HandOver.Invalid}. */
    public HandlerCall {
        env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
    }

    /** A call without variables. */
    public static HandlerCall of(String handler) {
        return new HandlerCall(handler, Map.of());
    }
}
