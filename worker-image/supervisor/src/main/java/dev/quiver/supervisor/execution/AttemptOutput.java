package dev.quiver.supervisor.execution;

import java.util.Optional;
import java.util.function.Supplier;

import dev.quiver.lifecycle.execution.TaskInput;

/**
 * The output of an attempt that passed, which lies in its slot until the end is acknowledged. Most are read by nobody.
 *
 * @param bytes as the executor announced them
 * @param reader reads it; absent when the slot does not have it any more
 */
public record AttemptOutput(long bytes, Supplier<Optional<TaskInput.Payload>> reader) {

    /** Not a byte. */
    public static final AttemptOutput NONE = new AttemptOutput(0, () -> Optional.of(TaskInput.Payload.NONE));

    /** One that is lost with its slot. */
    static AttemptOutput lost(long bytes) {
        return bytes == 0 ? NONE : new AttemptOutput(bytes, Optional::empty);
    }

    /**
     * Reads it, before the end is acknowledged.
     *
     * @throws IllegalArgumentException when it is not what was announced
     */
    public Optional<TaskInput.Payload> read() {
        return reader.get();
    }
}
