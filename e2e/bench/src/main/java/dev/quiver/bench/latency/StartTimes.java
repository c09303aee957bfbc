package dev.quiver.bench.latency;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import dev.quiver.bench.Lab;

/**
 * A file that the executor's runners and the harness map. At each task's index it has the start in nanoseconds of
 * CLOCK_MONOTONIC, which {@link System#nanoTime()} counts on Linux; 0 before the start.
 */
final class StartTimes {

    private final Path file;
    private final LongBuffer nanos;

    private StartTimes(Path file, LongBuffer nanos) {
        this.file = file;
        this.nanos = nanos;
    }

    static StartTimes create(Lab lab, int length) throws IOException {
        Path file = lab.folder("starts").resolve("nanos");
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new StartTimes(
                    file,
                    channel.map(FileChannel.MapMode.READ_WRITE, 0, length * 8L)
                            .order(ByteOrder.nativeOrder())
                            .asLongBuffer());
        }
    }

    Path file() {
        return file;
    }

    int length() {
        return nanos.capacity();
    }

    void clear() {
        for (int i = 0; i < length(); i++) {
            nanos.put(i, 0);
        }
    }

    long nanos(int index) {
        return nanos.get(index);
    }

    /** The number of the first tasks that have started. */
    int count(int tasks) {
        int started = 0;
        for (int i = 0; i < tasks; i++) {
            started += nanos.get(i) == 0 ? 0 : 1;
        }
        return started;
    }
}
