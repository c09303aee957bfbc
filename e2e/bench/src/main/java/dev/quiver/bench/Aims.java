package dev.quiver.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Figures of a benchmark beside its aims, the median over the rounds of each. Each is printed as it comes, so that a long
 * benchmark that is ended has said what it measured. Not thread-safe.
 */
public final class Aims {

    private final String bench;
    private final Map<String, Row> rows = new LinkedHashMap<>();

    /** Creates an empty table of that benchmark's figures. */
    public Aims(String bench) {
        this.bench = bench;
    }

    private record Row(String unit, Optional<Double> aim, List<Double> values) {}

    /** A figure without an aim; each call adds a round. */
    public void add(String figure, double value, String unit) {
        add(row(figure, unit, Optional.empty()), figure, value);
    }

    /** A figure with an aim in its unit. */
    public void add(String figure, double value, String unit, double aim) {
        add(row(figure, unit, Optional.of(aim)), figure, value);
    }

    private void add(Row row, String figure, double value) {
        row.values.add(value);
        System.err.printf(Locale.ROOT, "%s: %s: %s %s%n", bench, figure, shown(value), row.unit);
    }

    private Row row(String figure, String unit, Optional<Double> aim) {
        return rows.computeIfAbsent(figure, any -> new Row(unit, aim, new ArrayList<>()));
    }

    /** All of them, median, least and most. */
    public String table() {
        Table table = new Table("", "measured", "least", "most", "aim", "unit");
        rows.forEach((figure, row) -> table.row(
                figure,
                shown(new Samples(row.values).median()),
                shown(row.values.stream().mapToDouble(it -> it).min().orElseThrow()),
                shown(row.values.stream().mapToDouble(it -> it).max().orElseThrow()),
                row.aim.map(Aims::shown).orElse("-"),
                row.unit));
        return table.toString();
    }

    /** The medians, those with an aim against it. */
    public List<Figure> figures() {
        List<Figure> figures = new ArrayList<>();
        rows.forEach((name, row) -> {
            Figure figure = Figure.of(bench, name, new Samples(row.values).median(), row.unit);
            figures.add(row.aim.map(aim -> figure.against("aim", aim)).orElse(figure));
        });
        return figures;
    }

    private static String shown(double value) {
        return String.format(Locale.ROOT, value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%,.0f", value);
    }
}
