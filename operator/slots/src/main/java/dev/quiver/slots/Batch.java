package dev.quiver.slots;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

import dev.quiver.slots.layout.BatchDescriptor;
import dev.quiver.slots.layout.ControlDescriptor;

/**
 * The tasks of one dispatch, laid out for a slot's input: table, payloads, records. Pure.
 *
 * @param tasks 2 to {@value BatchDescriptor#MAX_TASKS} with their records
 * @param table the table's bytes
 * @param inputBytes of all of it
 */
record Batch(List<Entry> tasks, byte[] table, long inputBytes) {
    /**
     * A task and its command record.
     *
     * @param payloadAt where its payload goes
     * @param recordAt where its record goes
     */
    record Entry(Assignment task, byte[] record, long payloadAt, long recordAt) {}

    /** Lays tasks out as long as they fit. Not thread-safe. */
    static final class Layout {
        private final List<Entry> entries = new ArrayList<>();
        private final long room;
        private long bytes; // behind the table

        Layout(long room) {
            this.room = room;
        }

        /** Adds a task; false if it does not fit any more. */
        boolean add(Assignment task, byte[] record) {
            long recordAt = bytes + up(task.payload().bytes().length);
            long end = recordAt + up(record.length);
            if (entries.size() == BatchDescriptor.MAX_TASKS || BatchDescriptor.bytes(entries.size() + 1) + end > room) {
                return false;
            }
            entries.add(new Entry(task, record, bytes, recordAt));
            bytes = end;
            return true;
        }

        int size() {
            return entries.size();
        }

        /** All that was added. */
        Batch finish(TaskHash hash) {
            long behind = BatchDescriptor.bytes(entries.size());
            List<Entry> placed = new ArrayList<>(entries.size());
            for (Entry entry : entries) {
                placed.add(
                        new Entry(entry.task(), entry.record(), behind + entry.payloadAt(), behind + entry.recordAt()));
            }
            return new Batch(placed, encode(placed, hash), behind + bytes);
        }
    }

    private static byte[] encode(List<Entry> entries, TaskHash hash) {
        ByteBuffer to =
                ByteBuffer.allocate(BatchDescriptor.bytes(entries.size())).order(ByteOrder.LITTLE_ENDIAN);
        to.putInt(BatchDescriptor.MAGIC_AT, BatchDescriptor.MAGIC);
        to.putInt(BatchDescriptor.COUNT_AT, entries.size());
        to.putLong(
                BatchDescriptor.LIMIT_AT,
                entries.getFirst().task().timeLimit().map(Batch::nanos).orElse(0L));
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            Assignment task = entry.task();
            int at = BatchDescriptor.entry(i);
            byte[] name = Texts.utf8(task.name(), ControlDescriptor.NAME_BYTES);
            to.put(at + BatchDescriptor.TASK_HASH, hash.bytes(task.taskId()));
            to.putLong(at + BatchDescriptor.IN_OFFSET, entry.payloadAt());
            to.putLong(at + BatchDescriptor.IN_LENGTH, task.payload().bytes().length);
            to.putLong(at + BatchDescriptor.RECORD_OFFSET, entry.recordAt());
            to.putInt(at + BatchDescriptor.TRIAL, task.trial());
            to.putInt(at + BatchDescriptor.ALLOWED, task.allowed());
            to.putInt(at + BatchDescriptor.FORMAT, task.payload().format().code());
            to.putInt(at + BatchDescriptor.FLAGS, task.payload().locator() ? ControlDescriptor.FLAG_LOCATOR : 0);
            to.putInt(at + BatchDescriptor.NAME_LENGTH, name.length);
            to.put(at + BatchDescriptor.NAME, name);
        }
        return to.array();
    }

    /** Beyond what a long can count is as good as any time, which is 0. */
    private static long nanos(Duration limit) {
        Duration most = Duration.ofNanos(Long.MAX_VALUE / BatchDescriptor.MAX_TASKS);
        return limit.compareTo(most) > 0 ? 0 : Math.max(1, limit.toNanos());
    }

    private static long up(long bytes) {
        return (bytes + 7) & ~7L;
    }

    /** How many tasks a table has that this process or one before it wrote; empty if it is none. */
    static Optional<Integer> count(byte[] head) {
        ByteBuffer from = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN);
        int count = from.getInt(BatchDescriptor.COUNT_AT);
        boolean sound = from.getInt(BatchDescriptor.MAGIC_AT) == BatchDescriptor.MAGIC
                && count >= 1
                && count <= BatchDescriptor.MAX_TASKS;
        return sound ? Optional.of(count) : Optional.empty();
    }

    /** The tasks of a table. */
    static List<DispatchedTask> read(byte[] table, int count, long generation) {
        ByteBuffer from = ByteBuffer.wrap(table).order(ByteOrder.LITTLE_ENDIAN);
        List<DispatchedTask> tasks = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int at = BatchDescriptor.entry(i);
            int hashAt = at + BatchDescriptor.TASK_HASH;
            tasks.add(new DispatchedTask(
                    generation,
                    HexFormat.of().formatHex(table, hashAt, hashAt + ControlDescriptor.ID_BYTES),
                    from.getInt(at + BatchDescriptor.TRIAL)));
        }
        return tasks;
    }
}
