package dev.quiver.bench.scale;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import dev.quiver.bench.Bench;
import dev.quiver.bench.Figure;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.Table;
import dev.quiver.bench.kube.ApiServer;
import dev.quiver.bench.kube.Operator;
import dev.quiver.bench.process.Program;
import dev.quiver.bench.redis.RedisServer;

/**
 * Runs with growing numbers of no-op tasks by count. Requests and the CR must stay flat, and Redis must not hold the
 * tasks.
 */
public final class ScaleBench implements Bench {

    private static final int SLOTS = 64;

    @Override
    public String name() {
        return "scale";
    }

    @Override
    public String question() {
        return "API requests, bytes of the CR and memory of Redis by the number of tasks";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        List<String> text = new ArrayList<>();
        List<Cost> costs = new ArrayList<>();
        try (RedisServer redis = RedisServer.start(lab);
                ApiServer api = ApiServer.start();
                Operator operator = Operator.start(lab, Program.operator(lab), api.kubeconfig(), redis.port());
                ScaleRun run = ScaleRun.prepare(lab, api, redis, SLOTS)) {
            text.add(redis.described());
            text.add(
                    "real API server %s and etcd, real operator (ready after %d ms), real supervisor, %d slots, no-op tasks"
                            .formatted(
                                    api.client().getKubernetesVersion().getGitVersion(),
                                    operator.toReady().toMillis(),
                                    SLOTS));
            run.measure(lab.pace().scale().getFirst()); // not counted: the first run makes what all runs share
            for (int tasks : lab.pace().scale()) {
                costs.add(run.measure(tasks));
            }
        }
        text.add(table(costs).toString());
        text.add("API requests: the operator's reads and writes, without Leases (they follow time, not work)");
        return new Report(text, figures(costs));
    }

    private static Table table(List<Cost> costs) {
        Table table = new Table(
                "tasks", "time s", "API requests", "a second", "CR bytes", "Redis KiB at most", "Redis KiB at the end");
        for (Cost cost : costs) {
            double seconds = cost.time().toMillis() / 1e3;
            table.row(
                    String.format(Locale.ROOT, "%,d", cost.tasks()),
                    String.format(Locale.ROOT, "%.1f", seconds),
                    "" + cost.requests(),
                    String.format(Locale.ROOT, "%.1f", cost.requests() / seconds),
                    "" + cost.crBytes(),
                    String.format(Locale.ROOT, "%,.0f", cost.redisBytes() / 1024.0),
                    String.format(Locale.ROOT, "%,.0f", cost.redisBytesAfter() / 1024.0));
        }
        return table;
    }

    private List<Figure> figures(List<Cost> costs) {
        List<Figure> figures = new ArrayList<>();
        Cost least = costs.getFirst();
        String against = least.tasks() + " tasks";
        for (Cost cost : costs) {
            String of = ", tasks=" + cost.tasks();
            double seconds = cost.time().toMillis() / 1e3;
            figures.add(against("API requests" + of, cost.requests(), "requests", against, least.requests()));
            figures.add(against(
                    "API requests a second" + of,
                    cost.requests() / seconds,
                    "requests/s",
                    against,
                    least.requests() / (least.time().toMillis() / 1e3)));
            figures.add(against("CR size" + of, cost.crBytes(), "bytes", against, least.crBytes()));
            figures.add(Figure.of(name(), "Redis memory at most" + of, cost.redisBytes(), "bytes"));
            figures.add(Figure.of(name(), "Redis memory at the end" + of, cost.redisBytesAfter(), "bytes"));
            figures.add(Figure.of(name(), "makespan" + of, seconds, "s"));
        }
        return figures;
    }

    private Figure against(String figure, double value, String unit, String against, double other) {
        return other == 0
                ? Figure.of(name(), figure, value, unit)
                : Figure.of(name(), figure, value, unit, against, other);
    }
}
