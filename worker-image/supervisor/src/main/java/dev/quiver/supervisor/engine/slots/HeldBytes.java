package dev.quiver.supervisor.engine.slots;

/**
 * Memory for what this process holds of tasks for others: outputs on their way to Redis, and inputs until their tasks are
 * dispatched. One budget for both, a third of the heap. Inputs get half of it at most, so that an output, whose slot is
 * wanted, never waits for an input, which waits for a slot. One of each goes always, whatever its size: sizes have bounds
 * of their own. Belongs to the engine's thread.
 */
public final class HeldBytes {

    /**
     * Bytes that an output takes for each of its own while it becomes chunks or a result. They are the bytes, the text
     * that they are, and its parts, each character of two bytes at worst.
     */
    public static final int OF_OUTPUT = 6;

    /** Bytes that an input takes for each of its own while it is put together: the parts and the whole. */
    public static final int OF_READ = 4;

    /** Bytes that an input takes for each of its own while it waits for a slot. */
    public static final int OF_INPUT = 2;

    private final long most;
    private long outputs;
    private long inputs;

    private HeldBytes(long most) {
        this.most = most;
    }

    /** A third of the heap that this process may take. */
    public static HeldBytes ofHeap() {
        return of(Runtime.getRuntime().maxMemory() / 3);
    }

    /** So many bytes. */
    public static HeldBytes of(long most) {
        return new HeldBytes(most);
    }

    /** Bytes that are held until it is closed, once or more often. */
    public final class Share implements AutoCloseable {
        private final boolean output;
        private long bytes;

        private Share(boolean output, long bytes) {
            this.output = output;
            change(bytes);
        }

        /** So many from now on. */
        public void change(long now) {
            if (output) {
                outputs += now - bytes;
            } else {
                inputs += now - bytes;
            }
            bytes = now;
        }

        @Override
        public void close() {
            change(0);
        }
    }

    /** Bytes that outputs may take beside what is held. */
    public long roomForOutputs() {
        return Math.max(0, most - outputs - inputs);
    }

    /** Whether outputs are held: while none is, one may be, whatever its size. */
    public boolean holdsOutputs() {
        return outputs > 0;
    }

    /** Whether an input of so many bytes may be held now. */
    public boolean hasRoomForInput(long bytes) {
        return inputs == 0 || inputs + bytes <= most / 2 && inputs + outputs + bytes <= most;
    }

    /** Whether no further input should come. */
    public boolean isFullOfInputs() {
        return inputs > most / 2;
    }

    /** Holds outputs. */
    public Share output(long bytes) {
        return new Share(true, bytes);
    }

    /** Holds an input. */
    public Share input(long bytes) {
        return new Share(false, bytes);
    }
}
