package dev.quiver.bench.mapreduce;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import dev.quiver.bench.Bench;
import dev.quiver.bench.Figure;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.Table;
import dev.quiver.bench.mapreduce.JobPod.Job;
import dev.quiver.bench.redis.RedisServer;
import dev.quiver.bench.throughput.CpuCost;

/** No-op chunks a second through handlers in C, with all that is accounted, without and with combines. */
public final class ChunksBench implements Bench {

    private static final List<Integer> FAN_INS = List.of(0, 16);
    private static final int LEAVES = 10_000;
    private static final int WARM_UP = 5_000;

    @Override
    public String name() {
        return "mapreduce-chunks";
    }

    @Override
    public String question() {
        return "no-op chunks a second, results and combines included, beside the same functions as leaves of a group";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        List<Integer> sizes = lab.pace().tasks().chunks();
        List<Integer> slots =
                lab.pace().slots().stream().filter(number -> number > 1).toList();
        int most = sizes.stream().mapToInt(Integer::intValue).max().orElseThrow();
        List<Figure> figures = new ArrayList<>();
        Table table = new Table("slots, chunks, fan-in", "chunks/s", "results at most", "processor time of a chunk");
        try (RedisServer redis = RedisServer.start(lab)) {
            for (int number : slots) {
                try (JobPod pod = JobPod.start(lab, redis, number, Math.max(most, LEAVES))) {
                    pod.run(Math.min(most, WARM_UP), FAN_INS.getLast());
                    int leaves = Math.min(most, LEAVES);
                    pod.runAsGroup(leaves);
                    double group = leaves / pod.runAsGroup(leaves);
                    table.row(number + ", leaves of a group", rate(group), "–", "–");
                    for (int chunks : sizes) {
                        for (int fanIn : FAN_INS) {
                            redis.restBetweenTurns();
                            CpuCost before = CpuCost.of(pod.worker(), pod.redisPid());
                            Job job = pod.run(chunks, fanIn);
                            String cost =
                                    CpuCost.of(pod.worker(), pod.redisPid()).since(before, chunks);
                            double rate = chunks / job.chunkSeconds();
                            String row = number + " slots, " + chunks + " chunks"
                                    + (fanIn == 0 ? "" : ", combines of " + fanIn);
                            table.row(row, rate(rate), "" + job.keptResults(), cost);
                            figures.add(Figure.of(name(), row, rate, "chunks/s", "leaves of a group", group));
                        }
                    }
                }
            }
            return new Report(
                    List.of(
                            redis.described(),
                            "handlers in C, a process for each slot; each chunk is a number and returns it; time from"
                                    + " the start of the first chunk to that of reduce; processor time of the whole job,"
                                    + " the handlers' own not counted",
                            table.toString()),
                    figures);
        }
    }

    private static String rate(double number) {
        return String.format(Locale.ROOT, "%,.0f", number);
    }
}
