package dev.quiver.bench.throughput;

import java.io.IOException;
import java.util.Locale;

import dev.quiver.bench.process.ProcessMemory;
import dev.quiver.bench.quiver.Worker;

/**
 * Processor time so far of the processes that a task of Quiver passes through, in seconds. Unlike the rate, it does not
 * depend on the machine's other load.
 */
public record CpuCost(double supervisor, double executors, double redis) {

    /** Now. */
    public static CpuCost of(Worker worker, long redisPid) throws IOException {
        return new CpuCost(
                ProcessMemory.cpuSeconds(worker.supervisor().pid()),
                ProcessMemory.cpuSeconds(worker.executor().pid()),
                ProcessMemory.cpuSeconds(redisPid));
    }

    /** Microseconds for each of so many tasks, as text. */
    public String since(CpuCost before, long tasks) {
        return String.format(
                Locale.ROOT,
                "%.1f µs supervisor, %.1f µs executors, %.1f µs Redis",
                (supervisor - before.supervisor) * 1e6 / tasks,
                (executors - before.executors) * 1e6 / tasks,
                (redis - before.redis) * 1e6 / tasks);
    }
}
