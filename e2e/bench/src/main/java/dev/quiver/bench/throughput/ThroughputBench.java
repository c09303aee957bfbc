package dev.quiver.bench.throughput;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import dev.quiver.bench.Bench;
import dev.quiver.bench.Figure;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.Samples;
import dev.quiver.bench.Table;
import dev.quiver.bench.redis.RedisServer;

/** No-op tasks a second: all contenders in turn on one Redis, first as near as loopback is, then farther away. */
public final class ThroughputBench implements Bench {

    private static final String UNIT = "tasks/s";

    @Override
    public String name() {
        return "throughput";
    }

    @Override
    public String question() {
        return "no-op tasks a second through Redis, beside BullMQ and asynq on the same server";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        List<String> text = new ArrayList<>();
        List<Figure> figures = new ArrayList<>();
        try (RedisServer redis = RedisServer.start(lab)) {
            text.add(redis.described());
            for (Duration delay : lab.pace().delays()) {
                try (Field field = Field.open(lab, redis, delay)) {
                    text.addAll(field.described());
                    Map<Integer, Map<String, Samples>> results =
                            Rounds.measure(field.contenders(), lab.pace().slots(), redis, lab.pace());
                    text.add(table(field, results).toString());
                    field.contenders().forEach(contender -> text.addAll(contender.remarks()));
                    figures.addAll(figures(field, delay, results));
                }
            }
        }
        return new Report(text, figures);
    }

    private static Table table(Field field, Map<Integer, Map<String, Samples>> results) {
        List<String> names = field.contenders().stream().map(Contender::name).toList();
        List<String> head = new ArrayList<>(List.of("slots"));
        head.addAll(names);
        head.add("quiver / best peer");
        Table table = new Table(head.toArray(String[]::new));
        results.forEach((slots, row) -> {
            List<String> cells = new ArrayList<>(List.of("" + slots));
            names.forEach(name -> cells.add(row.get(name).shown()));
            double quiver = row.get(Field.QUIVER).median();
            cells.add(bestPeer(field, row)
                    .map(best -> String.format(
                            Locale.ROOT, "%.1f", quiver / best.getValue().median()))
                    .orElse("-"));
            table.row(cells.toArray(String[]::new));
        });
        return table;
    }

    private List<Figure> figures(Field field, Duration delay, Map<Integer, Map<String, Samples>> results) {
        List<Figure> figures = new ArrayList<>();
        results.forEach((slots, row) -> row.forEach((name, samples) -> {
            String figure = "%s, slots=%d, delay=%dms".formatted(name, slots, delay.toMillis());
            Figure alone = Figure.of(name(), figure, samples.median(), UNIT);
            figures.add(bestPeer(field, row)
                    .filter(best -> !field.peers().contains(name))
                    .map(best -> alone.against(
                            best.getKey() + ", concurrency=" + slots,
                            best.getValue().median()))
                    .orElse(alone));
        }));
        return figures;
    }

    private static Optional<Map.Entry<String, Samples>> bestPeer(Field field, Map<String, Samples> row) {
        return row.entrySet().stream()
                .filter(entry -> field.peers().contains(entry.getKey()))
                .max(Comparator.comparingDouble(entry -> entry.getValue().median()));
    }
}
