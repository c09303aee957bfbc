package dev.quiver.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The kernel's figures of a process. */
public final class ProcessMemory {

    private ProcessMemory() {}

    /**
     * Proportional set size: private pages, and its share of those that it shares with others.
     *
     * @return MiB
     */
    public static double pssMiB(long pid) throws IOException {
        return pssKiB(Files.readString(Path.of("/proc/" + pid + "/smaps_rollup"))) / 1024.0;
    }

    static long pssKiB(String rollup) {
        return rollup.lines()
                .filter(line -> line.startsWith("Pss:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("smaps_rollup has no Pss"));
    }

    /** The same of a process and all its living descendants; those that end meanwhile do not count. */
    public static double pssMiBOfAll(long pid) {
        return Stream.concat(
                        ProcessHandle.of(pid).stream(),
                        ProcessHandle.of(pid).stream().flatMap(ProcessHandle::descendants))
                .mapToDouble(process -> {
                    try {
                        return pssMiB(process.pid());
                    } catch (IOException | IllegalStateException ended) {
                        return 0;
                    }
                })
                .sum();
    }

    /** Processor time of a process and all its living descendants so far, in seconds. */
    public static double cpuSeconds(long pid) throws IOException {
        double ticks = ticks(pid);
        try (Stream<ProcessHandle> descendants =
                ProcessHandle.of(pid).map(ProcessHandle::descendants).orElse(Stream.empty())) {
            for (ProcessHandle descendant : descendants.toList()) {
                ticks += ticks(descendant.pid());
            }
        }
        return ticks / 100; // USER_HZ, the same on every architecture that matters here
    }

    private static long ticks(long pid) throws IOException {
        return ticks(Files.readString(Path.of("/proc/" + pid + "/stat")));
    }

    /** utime + stime: fields 14 and 15, counted behind the name, which may contain any character. */
    static long ticks(String stat) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }
}
