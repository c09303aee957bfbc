package dev.quiver.bench.mapreduce;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import dev.quiver.bench.Bench;
import dev.quiver.bench.Figure;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.redis.RedisServer;

/** From the end of a small job's last chunk to the start of its reduce, on warm workers that have nothing else to do. */
public final class PhasesBench implements Bench {

    private static final int SLOTS = 8;
    private static final int CHUNKS = 20;
    private static final int WARM_UP = 3_000;

    @Override
    public String name() {
        return "mapreduce-phases";
    }

    @Override
    public String question() {
        return "end of the last chunk to the start of reduce (aim: p50 below 5 ms)";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        int jobs = lab.pace().tasks().jobs();
        try (RedisServer redis = RedisServer.start(lab);
                JobPod pod = JobPod.start(lab, redis, SLOTS, Math.max(WARM_UP, CHUNKS))) {
            pod.run(WARM_UP, 0);
            double[] millis = new double[jobs];
            for (int i = 0; i < jobs; i++) {
                millis[i] = pod.run(CHUNKS, 0).toReduceMillis();
            }
            Arrays.sort(millis);
            List<Figure> figures = new ArrayList<>();
            for (int percent : List.of(50, 99)) {
                double value = millis[Math.min(jobs - 1, jobs * percent / 100)];
                figures.add(Figure.of(name(), "last chunk to reduce, p" + percent, value, "ms"));
            }
            String conditions =
                    "%d slots, handlers in C, %d jobs of %d chunks, one after another: p50 %.2f ms, p99 %.2f ms";
            return new Report(
                    List.of(
                            redis.described(),
                            conditions.formatted(
                                    SLOTS,
                                    jobs,
                                    CHUNKS,
                                    figures.getFirst().value(),
                                    figures.getLast().value())),
                    figures);
        }
    }
}
