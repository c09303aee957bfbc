package dev.quiver.bench.footprint;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import dev.quiver.bench.Bench;
import dev.quiver.bench.Figure;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.Samples;
import dev.quiver.bench.Table;
import dev.quiver.bench.redis.RedisServer;

/** Memory, time to ready, idle processor time; compared with the aims. */
public final class FootprintBench implements Bench {

    /** From eight to sixteen seconds after its start. */
    static final String IDLE = "idle pod CPU, first seconds";

    /** From three minutes on. */
    static final String SETTLED = "idle pod CPU, after 3 min";

    /** The aims, each in its figure's unit. */
    private static final Map<String, Double> AIMS = Map.ofEntries(
            Map.entry("supervisor PSS idle", 110.0),
            Map.entry("supervisor PSS loaded", 160.0),
            Map.entry("supervisor first Redis answer", 0.5),
            Map.entry("operator PSS loaded", 256.0),
            Map.entry("operator ready", 3.0),
            Map.entry(IDLE, 0.5),
            Map.entry(SETTLED, 0.5));

    @Override
    public String name() {
        return "footprint";
    }

    @Override
    public String question() {
        return "memory, time from process start to ready, processor time of an idle pod";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        List<String> text = new ArrayList<>();
        Map<String, List<Double>> values = new LinkedHashMap<>();
        Map<String, String> units = new LinkedHashMap<>();
        Sink sink = (figure, value, unit) -> {
            values.computeIfAbsent(figure, any -> new ArrayList<>()).add(value);
            units.put(figure, unit);
        };
        try (RedisServer redis = RedisServer.start(lab)) {
            text.add(redis.described());
            SupervisorFootprint supervisor = new SupervisorFootprint(lab, redis);
            for (int round = 0; round < lab.pace().rounds(); round++) {
                supervisor.measure(sink);
            }
            supervisor.measureSettled(sink);
            new OperatorFootprint(lab, redis).measure(sink);
        }
        text.add("PSS by smaps_rollup; processes run the images' classes with the images' JVM flags and an AOT cache");
        Table table = new Table("", "measured", "aim", "unit");
        List<Figure> figures = new ArrayList<>();
        values.forEach((figure, rounds) -> {
            double median = new Samples(rounds).median();
            Double aim = AIMS.get(figure);
            table.row(figure, shown(median), aim == null ? "-" : shown(aim), units.get(figure));
            figures.add(
                    aim == null
                            ? Figure.of(name(), figure, median, units.get(figure))
                            : Figure.of(name(), figure, median, units.get(figure), "aim", aim));
        });
        text.add(table.toString());
        return new Report(text, figures);
    }

    /** Takes figures. */
    @FunctionalInterface
    interface Sink {
        void add(String figure, double value, String unit);
    }

    private static String shown(double value) {
        return String.format(Locale.ROOT, value < 10 ? "%.2f" : "%.0f", value);
    }
}
