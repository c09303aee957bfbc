package dev.quiver.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The machine and its other load: begun before a benchmark, reported after it. */
public final class Conditions {

    private static final double WORTH_TELLING_CORES = 0.03;

    private final long fromNanos = System.nanoTime();
    private final Map<Long, Duration> before = cpuOfOthers();
    private final String loadBefore;

    private Conditions(String loadBefore) {
        this.loadBefore = loadBefore;
    }

    /** Begins the observation. */
    public static Conditions begin() throws IOException {
        return new Conditions(load());
    }

    /** Processor, memory, kernel, Java. */
    public static String machine() throws IOException {
        return String.format(
                Locale.ROOT,
                "%s, %d cores, %.0f GiB, Linux %s, Java %s",
                field("/proc/cpuinfo", "model name"),
                Runtime.getRuntime().availableProcessors(),
                Long.parseLong(field("/proc/meminfo", "MemTotal").replaceAll("\\D", "")) / 1048576.0,
                System.getProperty("os.version"),
                System.getProperty("java.vm.version"));
    }

    /** Load before and after, and every process outside the benchmark that took processor time meanwhile. */
    public String besides() throws IOException {
        double seconds = (System.nanoTime() - fromNanos) / 1e9;
        List<String> busy = new ArrayList<>();
        cpuOfOthers().forEach((pid, cpu) -> {
            double cores = cpu.minus(before.getOrDefault(pid, Duration.ZERO)).toMillis() / 1e3 / seconds;
            if (cores >= WORTH_TELLING_CORES) {
                busy.add(String.format(Locale.ROOT, "%s (%.2f cores)", name(pid), cores));
            }
        });
        return "load average " + loadBefore + " before, " + load() + " after; beside it: "
                + (busy.isEmpty() ? "nothing of note" : String.join(", ", busy));
    }

    private static Map<Long, Duration> cpuOfOthers() {
        ProcessHandle self = ProcessHandle.current();
        Map<Long, Duration> cpu = new HashMap<>();
        ProcessHandle.allProcesses()
                .filter(process -> !process.equals(self))
                .filter(process -> self.descendants().noneMatch(process::equals))
                .forEach(
                        process -> process.info().totalCpuDuration().ifPresent(spent -> cpu.put(process.pid(), spent)));
        return cpu;
    }

    private static String name(long pid) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/comm")).strip();
        } catch (IOException ended) {
            return "process " + pid;
        }
    }

    private static String load() throws IOException {
        return Files.readString(Path.of("/proc/loadavg")).split(" ")[0];
    }

    private static String field(String file, String name) throws IOException {
        return Files.readAllLines(Path.of(file)).stream()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("?");
    }
}
