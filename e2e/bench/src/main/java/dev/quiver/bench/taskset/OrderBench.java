package dev.quiver.bench.taskset;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import dev.quiver.bench.Aims;
import dev.quiver.bench.Bench;
import dev.quiver.bench.Lab;
import dev.quiver.bench.RecordSizes;
import dev.quiver.bench.Report;
import dev.quiver.bench.history.Steps;
import dev.quiver.bench.redis.RedisServer;
import dev.quiver.lifecycle.taskset.ClaimOrder;
import dev.quiver.lifecycle.taskset.TaskSetOpening;

/** Redis' own processor time for a step of a set with an order, and with copies allowed, against one without, block by block. */
public final class OrderBench implements Bench {

    private static final int[] SIZES = {1, 8, 64};
    private static final String PLAIN = "no order";

    @Override
    public String name() {
        return "taskset-step";
    }

    @Override
    public String question() {
        return "processor time of Redis for a step of 1, 8 and 64 tasks: with an order, and with copies, against without";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        RecordSizes sizes = lab.pace().record();
        Aims aims = new Aims(name());
        List<String> text;
        try (RedisServer redis = RedisServer.start(lab)) {
            text = List.of(
                    redis.described(),
                    "used_cpu_user and used_cpu_sys of INFO, append-only file included; blocks of steps in turn, each ratio of"
                            + " neighbours; each step settles and claims; " + ClaimOrder.MOST + " tasks, no copy runs");
            for (int size : SIZES) {
                compare(redis, size, sizes, aims);
            }
        }
        return new Report(List.of(text.get(0), text.get(1), aims.table()), aims.figures());
    }

    private static void compare(RedisServer redis, int size, RecordSizes sizes, Aims aims) throws Exception {
        Optional<ClaimOrder> order = Optional.of(new ClaimOrder(
                IntStream.range(0, ClaimOrder.MOST).toArray(),
                IntStream.generate(() -> 1000).limit(ClaimOrder.MOST).toArray(),
                OptionalInt.empty()));
        Map<String, UnaryOperator<TaskSetOpening>> ways = new LinkedHashMap<>();
        ways.put(PLAIN, opening -> opening);
        ways.put("order", opening -> opening.ordered(order));
        ways.put("copies", opening -> opening.speculating(true));
        ways.put("order and copies", opening -> opening.ordered(order).speculating(true));
        Map<String, Steps> all = new LinkedHashMap<>();
        try {
            ways.forEach((way, change) ->
                    all.put(way, Steps.open(redis.port(), way.replace(' ', '-') + size, ClaimOrder.MOST, change)));
            int steps = Math.min(sizes.steps(), ClaimOrder.MOST / size / (sizes.blocks() + 2));
            for (Steps each : all.values()) {
                each.claim(size);
                block(redis, each, steps);
            }
            for (int block = 0; block < sizes.blocks(); block++) {
                double plain = 0;
                for (Map.Entry<String, Steps> each : all.entrySet()) {
                    double micros = block(redis, each.getValue(), steps);
                    plain = each.getKey().equals(PLAIN) ? micros : plain;
                    aims.add("step of " + size + ", " + each.getKey(), micros, "µs");
                    if (!each.getKey().equals(PLAIN)) {
                        aims.add("step of " + size + ", " + each.getKey() + " / " + PLAIN, micros / plain, "times");
                    }
                }
                redis.restBetweenTurns();
            }
        } finally {
            all.values().forEach(Steps::close);
        }
    }

    /** Microseconds of a step. */
    private static double block(RedisServer redis, Steps steps, int count) {
        double before = redis.cpuMicros();
        for (int i = 0; i < count; i++) {
            steps.step(0);
        }
        return (redis.cpuMicros() - before) / count;
    }
}
