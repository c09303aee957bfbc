package dev.quiver.slots;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;

import dev.quiver.slots.layout.BatchDescriptor;
import dev.quiver.slots.layout.ControlDescriptor;

/** A slot's header in {@code control}, all but its word. Not thread-safe: its slot's cell has the lock. */
final class SlotHeader {
    private final int slot;
    private final ControlRegion control;
    private final TaskHash hash = new TaskHash();

    SlotHeader(int slot, ControlRegion control) {
        this.slot = slot;
        this.control = control;
    }

    /**
     * From now on the record is about this generation. This is written before the input and the fields of the
     * generation. A process that dies while it writes over an unacknowledged result must leave no record that looks
     * like that result.
     */
    void begin(long generation) {
        control.flags(slot, stamp(generation));
    }

    private static int stamp(long generation) {
        return (int) generation << ControlDescriptor.GENERATION_SHIFT;
    }

    /** Whether the record is about this generation, as far as it can tell. */
    boolean isAbout(long generation) {
        boolean stamped = control.minor() >= ControlDescriptor.SUCCESSION_SINCE_MINOR;
        int half = 0xFFFF << ControlDescriptor.GENERATION_SHIFT;
        return !stamped || (control.flags(slot) & half) == stamp(generation);
    }

    /** The header of one task. */
    void write(Assignment assignment, byte[] workerId, long now) {
        Payload payload = assignment.payload();
        write(
                assignment,
                workerId,
                now,
                payload.bytes().length,
                payload.locator() ? ControlDescriptor.FLAG_LOCATOR : 0);
    }

    /** The header of several tasks: the first one's, and how much input all take. */
    void write(Batch batch, byte[] workerId, long now) {
        Assignment first = batch.tasks().getFirst().task();
        write(first, workerId, now, batch.inputBytes(), ControlDescriptor.FLAG_BATCH);
    }

    private void write(Assignment assignment, byte[] workerId, long now, long inLength, int flags) {
        byte[] name = Texts.utf8(assignment.name(), ControlDescriptor.NAME_BYTES);
        byte[] task = hash.bytes(assignment.taskId());
        Payload payload = assignment.payload();
        control.putBytes(slot, ControlDescriptor.WORKER_ID, workerId, ControlDescriptor.ID_BYTES);
        control.putBytes(slot, ControlDescriptor.TASK_HASH, task, ControlDescriptor.ID_BYTES);
        control.putInt(slot, ControlDescriptor.TRIAL, assignment.trial());
        control.putInt(slot, ControlDescriptor.ALLOWED, assignment.allowed());
        control.putLong(slot, ControlDescriptor.DISPATCHED, now);
        control.deadline(
                slot, assignment.timeLimit().map(limit -> deadline(now, limit)).orElse(0L));
        control.putInt(slot, ControlDescriptor.KIND, kind(assignment.execution()));
        control.putInt(slot, ControlDescriptor.FORMAT, payload.format().code());
        control.putLong(slot, ControlDescriptor.IN_LENGTH, inLength);
        control.putLong(slot, ControlDescriptor.OUT_LIMIT, control.geometry().outputBytes());
        control.putInt(slot, ControlDescriptor.NAME_LENGTH, name.length);
        control.flags(slot, control.flags(slot) | flags);
        control.putBytes(slot, ControlDescriptor.NAME, name, ControlDescriptor.NAME_BYTES);
    }

    /** The tasks that were dispatched last; none if none ever was, or the next ones are half written over them. */
    List<DispatchedTask> read() {
        byte[] record = control.copy(slot);
        ByteBuffer fields = ByteBuffer.wrap(record).order(ByteOrder.LITTLE_ENDIAN);
        long generation = Words.generation(fields.getLong(ControlDescriptor.WORD));
        if (generation == 0 || !isAbout(generation)) {
            return List.of();
        }
        int batch = batchTasks();
        if (batch > 0) {
            return Batch.read(control.input(slot, BatchDescriptor.bytes(batch)), batch, generation);
        }
        int hashEnd = ControlDescriptor.TASK_HASH + ControlDescriptor.ID_BYTES;
        return List.of(new DispatchedTask(
                generation,
                HexFormat.of().formatHex(record, ControlDescriptor.TASK_HASH, hashEnd),
                fields.getInt(ControlDescriptor.TRIAL)));
    }

    /** How many tasks the batch has that was dispatched last; 0 if that was a single task. */
    int batchTasks() {
        return (control.flags(slot) & ControlDescriptor.FLAG_BATCH) == 0
                ? 0
                : Batch.count(control.input(slot, BatchDescriptor.ENTRIES_AT))
                        // A process that died while it wrote the next input may have left anything there.
                        .filter(tasks -> BatchDescriptor.bytes(tasks)
                                <= control.geometry().inputBytes())
                        .orElse(0);
    }

    TaskHash hash() {
        return hash;
    }

    /** The later deadline that the executor wishes, but never later than the task's own limit from now. */
    void extendDeadline(long wanted, Duration limit, long now) {
        long present = control.deadline(slot);
        long most = deadline(now, limit);
        long granted = most == 0 ? wanted : Math.min(wanted, most);
        if (present != 0 && granted > present) {
            control.deadline(slot, granted);
        }
    }

    private static int kind(SlotProgram execution) {
        return switch (execution) {
            case Command _ -> ControlDescriptor.KIND_COMMAND;
            case HandlerCall _ -> ControlDescriptor.KIND_HANDLER;
        };
    }

    /** Beyond what a long can count is as good as never, which is 0. */
    private static long deadline(long now, Duration limit) {
        Duration most = Duration.ofNanos(Long.MAX_VALUE - now);
        return limit.compareTo(most) >= 0 ? 0 : now + Math.max(1, limit.toNanos());
    }
}
