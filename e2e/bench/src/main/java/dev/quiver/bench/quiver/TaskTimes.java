package dev.quiver.bench.quiver;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import dev.quiver.bench.Lab;

/**
 * A file that the handlers of {@code timed.c} and the harness map. It has the start and end of each task's last run,
 * and how often the task was run. Times are nanoseconds of CLOCK_MONOTONIC, which {@link System#nanoTime()} counts on
 * Linux. A time is 0 until it is known.
 */
public final class TaskTimes {

    private static final int FIELDS = 3;

    private final Path file;
    private final LongBuffer fields;

    private TaskTimes(Path file, LongBuffer fields) {
        this.file = file;
        this.fields = fields;
    }

    /** For so many tasks. */
    public static TaskTimes create(Lab lab, int tasks) throws IOException {
        Path file = lab.folder("times").resolve("nanos");
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long bytes = (long) tasks * FIELDS * Long.BYTES;
            return new TaskTimes(
                    file,
                    channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes)
                            .order(ByteOrder.nativeOrder())
                            .asLongBuffer());
        }
    }

    Path file() {
        return file;
    }

    /** Number of tasks. */
    public int length() {
        return fields.capacity() / FIELDS;
    }

    /** Forgets all. */
    public void clear() {
        for (int i = 0; i < fields.capacity(); i++) {
            fields.put(i, 0);
        }
    }

    /** Start of the last run. */
    public long start(int task) {
        return fields.get(task * FIELDS);
    }

    /** End of the last run that came to its end. */
    public long end(int task) {
        return fields.get(task * FIELDS + 1);
    }

    /** How often it was started. */
    public long runs(int task) {
        return fields.get(task * FIELDS + 2);
    }
}
