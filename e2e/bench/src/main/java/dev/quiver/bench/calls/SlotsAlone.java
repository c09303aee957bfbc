package dev.quiver.bench.calls;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import dev.quiver.bench.Pace;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.process.ProcessMemory;
import dev.quiver.bench.quiver.BoardPod;
import dev.quiver.bench.quiver.ExecutorProgram;
import dev.quiver.bench.throughput.Contender;
import dev.quiver.slots.Geometry;

/** The board, the agent and its handlers, with tasks made here: each turn has a pod of its own. */
final class SlotsAlone implements Contender {

    static final String NAME = "slots alone";

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int REGION_BYTES = 4096;

    private final ExecutorProgram executor;
    private final Map<Integer, String> costs = new TreeMap<>();

    SlotsAlone(ExecutorProgram executor) {
        this.executor = executor;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public double turn(int slots, Pace pace) throws Exception {
        Hands hands = new Hands(slots);
        try (BoardPod pod = BoardPod.open(executor, new Geometry(slots, REGION_BYTES, REGION_BYTES), hands)) {
            try {
                Waiting.await("a task of every slot", PATIENCE, hands::allHaveWorked);
                Waiting.letPass(pace.warmUp().multipliedBy(2));
                long from = System.nanoTime();
                long before = hands.done();
                Duration board = processorTime();
                double others = ProcessMemory.cpuSeconds(pod.executor().pid());
                Waiting.letPass(pace.window());
                Waiting.await("a task within the window", PATIENCE, () -> hands.done() > before);
                long done = hands.done() - before;
                double seconds = (System.nanoTime() - from) / 1e9;
                costs.put(
                        slots,
                        String.format(
                                Locale.ROOT,
                                "%.1f µs board, %.1f µs handlers",
                                processorTime().minus(board).toNanos() / 1e3 / Math.max(1, done),
                                (ProcessMemory.cpuSeconds(pod.executor().pid()) - others) * 1e6 / Math.max(1, done)));
                hands.rest();
                return done / seconds;
            } catch (Exception failure) {
                failure.addSuppressed(new IOException(pod.executor().lastWords()));
                throw failure;
            }
        }
    }

    /** Processor time of this JVM, in which the board is. */
    private static Duration processorTime() {
        return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    }

    @Override
    public List<String> remarks() {
        return costs.entrySet().stream()
                .map(cost -> "%s, %d slots: processor time of a task %s (last round)"
                        .formatted(NAME, cost.getKey(), cost.getValue()))
                .toList();
    }

    @Override
    public void close() {
        // No process lives longer than its turn.
    }
}
