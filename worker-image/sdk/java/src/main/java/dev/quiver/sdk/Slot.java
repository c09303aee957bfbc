package dev.quiver.sdk;

import static dev.quiver.sdk.Libquiver.call;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.util.Optional;

/** The slot that the environment names. The work thread calls everything but {@link #event}. */
final class Slot {
    private static final int TAKEN = 1;
    private static final int CANCEL = 17;
    private static final int PACKET_BYTES = 256;
    private static final int CHUNK = 64 * 1024;

    private final MemorySegment handle;
    private final int number;
    private final TaskRecord record = new TaskRecord();
    private final TaskRecord peeked = new TaskRecord();
    private MemorySegment chunk; // null until bytes of the heap are written

    private Slot(MemorySegment handle) {
        this.handle = handle;
        this.number = call(() -> (int) Libquiver.SLOT.invokeExact(handle));
    }

    /**
     * Opens it.
     *
     * @throws IllegalStateException in words, when this process was not started by a worker as its handler
     */
    static Slot open() {
        if (System.getenv("QUIVER_LIB") == null) {
            throw new IllegalStateException(
                    "QUIVER_LIB is not set: handlers are started by a worker pool, as its handler.command");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment words = arena.allocate(512);
            MemorySegment handle = call(() -> (MemorySegment) Libquiver.OPEN.invokeExact(words, 512));
            if (handle.address() == 0) {
                throw new IllegalStateException(words.getString(0));
            }
            return new Slot(handle);
        }
    }

    /** Gives everything back. The watch thread must have ended. */
    void close() {
        Libquiver.<Void>call(() -> {
            Libquiver.CLOSE.invokeExact(handle);
            return null;
        });
    }

    /** Says what is served, and that several tasks may come at once. */
    void announce(String names) {
        if (Libquiver.BATCHES) {
            check(call(() -> (int) Libquiver.TAKES_BATCHES.invokeExact(handle)));
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(names);
            check(call(() -> (int) Libquiver.ANNOUNCE.invokeExact(handle, text)));
        }
    }

    /** The next task, valid until the slot is released; empty when the worker ends. */
    Optional<TaskRecord> take() {
        int taken = call(() -> (int) Libquiver.TAKE.invokeExact(handle, record.memory, -1));
        check(taken);
        return taken == TAKEN ? Optional.of(record) : Optional.empty();
    }

    /** Waits for what the runner says: the generation to stop, or empty for the end of the worker. */
    Optional<Long> event() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment generation = arena.allocate(ValueLayout.JAVA_LONG);
            int event = call(() -> (int) Libquiver.EVENT.invokeExact(handle, generation));
            return event == CANCEL ? Optional.of(generation.get(ValueLayout.JAVA_LONG, 0)) : Optional.empty();
        }
    }

    /** 0, or the reason why the running task should stop. */
    int cancelled() {
        return call(() -> (int) Libquiver.CANCELLED.invokeExact(handle));
    }

    void progress(long done, long total) {
        Libquiver.<Void>call(() -> {
            Libquiver.PROGRESS.invokeExact(handle, done, total);
            return null;
        });
    }

    void extend(long deadline) {
        Libquiver.<Void>call(() -> {
            Libquiver.EXTEND.invokeExact(handle, deadline);
            return null;
        });
    }

    long deadline() {
        return call(() -> (long) Libquiver.DEADLINE.invokeExact(handle));
    }

    Optional<byte[]> packet() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment to = arena.allocate(PACKET_BYTES);
            int none = call(() -> (int) Libquiver.PACKET.invokeExact(handle, number, to));
            return none == 0 ? Optional.of(to.toArray(ValueLayout.JAVA_BYTE)) : Optional.empty();
        }
    }

    /** Appends what the buffer has; bytes of the heap go through memory of our own, direct ones as they are. */
    int write(ByteBuffer from) {
        int length = from.remaining();
        if (from.isDirect()) {
            write(MemorySegment.ofBuffer(from), length);
            from.position(from.limit());
            return length;
        }
        if (chunk == null) {
            chunk = Arena.global().allocate(CHUNK);
        }
        while (from.hasRemaining()) {
            int part = Math.min(from.remaining(), CHUNK);
            MemorySegment.copy(MemorySegment.ofBuffer(from), 0, chunk, 0, part);
            write(chunk, part);
            from.position(from.position() + part);
        }
        return length;
    }

    private void write(MemorySegment bytes, long length) {
        check(call(() -> (int) Libquiver.WRITE.invokeExact(handle, bytes, length)));
    }

    void rewrite() {
        check(call(() -> (int) Libquiver.REWRITE.invokeExact(handle)));
    }

    /** The running task's input is not looked at any more: the next task may be put into the slot when it passed. */
    void letGo() {
        if (Libquiver.LET_GO != null) {
            Libquiver.<Void>call(() -> {
                Libquiver.LET_GO.invokeExact(handle);
                return null;
            });
        }
    }

    void complete(Format format, boolean locator) {
        int code = format.ordinal();
        int located = locator ? 1 : 0;
        flush();
        check(call(() -> {
            Libquiver.FORMAT.invokeExact(handle, code, located);
            return (int) Libquiver.COMPLETE.invokeExact(handle);
        }));
    }

    void fail(Failure failure) {
        fail(failure, Libquiver.FAIL);
    }

    /** The call failed that took all tasks without an outcome. */
    void failAll(Failure failure) {
        fail(failure, Libquiver.BATCH_FAIL);
    }

    /** Empties the streams: everything that the task printed is in the pipes, if all of it is kept. */
    private void flush() {
        if (record.keepsStreams()) {
            System.out.flush();
            System.err.flush();
        }
    }

    private void fail(Failure failure, MethodHandle function) {
        flush();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(failure.text().replace('\0', ' '));
            MemorySegment trace = arena.allocateFrom(failure.trace().replace('\0', ' '));
            int reason = failure.reason();
            long after = failure.retryAfterMillis();
            check(call(() -> (int) function.invokeExact(handle, reason, text, trace, after)));
        }
    }

    /** How many tasks of this dispatch have no outcome yet; the running one is the first of them. */
    int left() {
        return Libquiver.BATCHES ? call(() -> (int) Libquiver.BATCH_LEFT.invokeExact(handle)) : 1;
    }

    /** Takes all that are left for one call; false when there is only one, or they are for several functions. */
    boolean takeWhole() {
        return left() > 1 && call(() -> (int) Libquiver.BATCH_WHOLE.invokeExact(handle)) == 0;
    }

    /** The task that comes {@code index} after the next one without an outcome; valid until the next call of this. */
    TaskRecord peek(int index) {
        check(call(() -> (int) Libquiver.BATCH_TASK.invokeExact(handle, index, peeked.memory)));
        return peeked;
    }

    /** Waits until the result is settled; then the slot is free. */
    void release() {
        check(call(() -> (int) Libquiver.RELEASE.invokeExact(handle)));
    }

    /** Waits until the result is settled; then this process must end. */
    void replace() {
        check(call(() -> (int) Libquiver.SETTLE.invokeExact(handle)));
        check(call(() -> (int) Libquiver.REPLACE.invokeExact(handle)));
    }

    private void check(int result) {
        if (result < 0) {
            throw new IllegalStateException(
                    Libquiver.text(call(() -> (MemorySegment) Libquiver.WORDS.invokeExact(handle))));
        }
    }
}
