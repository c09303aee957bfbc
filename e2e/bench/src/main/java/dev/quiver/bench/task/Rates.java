package dev.quiver.bench.task;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.quiver.bench.Figure;
import dev.quiver.bench.Samples;
import dev.quiver.bench.Table;
import dev.quiver.bench.throughput.Contender;

/**
 * Tasks a second of some contenders, and how they compare with the peers.
 *
 * @param bench whose figures they are
 * @param measured by number of slots and contender
 * @param comparisons contender of ours to the peers that do the same
 */
record Rates(String bench, Map<Integer, Map<String, Samples>> measured, Map<String, List<String>> comparisons) {

    private static final String UNIT = "tasks/s";

    /** The table, the ratios and the contenders' own remarks. */
    List<String> text(List<Contender> contenders) {
        List<String> text = new ArrayList<>();
        text.add(table(contenders));
        text.add(ratios().toString());
        contenders.forEach(contender -> text.addAll(contender.remarks()));
        return text;
    }

    private String table(List<Contender> contenders) {
        Table table = new Table(head("tasks/s with so many slots"));
        contenders.stream()
                .map(Contender::name)
                .forEach(name ->
                        table.row(cells(name, row -> row.get(name).shown()).toArray(String[]::new)));
        return table.toString();
    }

    private Table ratios() {
        Table table = new Table(head("ratio"));
        comparisons.forEach((ours, peers) -> peers.forEach(peer -> table.row(cells(
                        ours + " / " + peer,
                        row -> String.format(
                                Locale.ROOT,
                                "%.1f",
                                row.get(ours).median() / row.get(peer).median()))
                .toArray(String[]::new))));
        return table;
    }

    private String[] head(String first) {
        return cells(first, measured.keySet().stream().map(String::valueOf)).toArray(String[]::new);
    }

    private List<String> cells(String first, Function<Map<String, Samples>, String> cell) {
        return cells(first, measured.values().stream().map(cell));
    }

    private static List<String> cells(String first, Stream<String> others) {
        return Stream.concat(Stream.of(first), others).toList();
    }

    /** One of each contender, and one of each comparison. */
    List<Figure> figures() {
        List<Figure> figures = new ArrayList<>();
        measured.forEach((slots, row) -> row.forEach((name, samples) -> {
            List<String> peers = comparisons.getOrDefault(name, List.of());
            String figure = name + ", slots=" + slots;
            if (peers.isEmpty()) {
                figures.add(Figure.of(bench, figure, samples.median(), UNIT));
            }
            peers.forEach(peer -> figures.add(Figure.of(
                    bench,
                    figure + ", beside " + peer,
                    samples.median(),
                    UNIT,
                    peer + ", concurrency=" + slots,
                    row.get(peer).median())));
        }));
        return figures;
    }
}
