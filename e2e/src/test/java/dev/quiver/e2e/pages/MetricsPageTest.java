package dev.quiver.e2e.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import dev.quiver.e2e.cluster.Repository;

/** {@code operator/METRICS.md} has each metric of the code, of alerts and of dashboards, and no other one. */
class MetricsPageTest {

    private static final Path ROOT = Repository.root();
    private static final Path PAGE = ROOT.resolve("operator/METRICS.md");
    private static final Path CONTROLLER = ROOT.resolve("operator/controller/src/main");
    private static final Path SUPERVISOR = ROOT.resolve("worker-image/supervisor/src/main/java/dev/quiver/supervisor");
    private static final Path HISTORY = ROOT.resolve("operator/history/src/main/java/dev/quiver/history/Probes.java");

    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| `(quiver_\\w+)` \\| (gauge|counter|summary|histogram) \\|");
    private static final Pattern ASKED = Pattern.compile("\\b(quiver_\\w+)");
    /** The series of a metric of each type, by the ends of their names. */
    private static final Map<String, List<String>> ENDS =
            Map.of("summary", List.of("_count", "_sum", "_max"), "histogram", List.of("_bucket", "_count", "_sum"));

    private static final Pattern OPERATORS = Pattern.compile("\"(quiver\\.[a-z.]+)\"");
    /** Names as Prometheus' own library takes them, where Micrometer would not do. */
    private static final Pattern WRITTEN = Pattern.compile("\"(quiver_\\w+)\"");

    private static final Pattern COUNTERS = Pattern.compile("(?m)^ {4}[A-Z_]+\\(\\s*\"([a-z.]+)\",");
    private static final Pattern GAUGES = Pattern.compile("(?m)^ {12}\"([a-z.]+)\", ");
    private static final Pattern BUILT = Pattern.compile("builder\\(PREFIX \\+ \"([a-z.]+)\"");
    private static final Pattern HISTORYS = Pattern.compile("metric\\(\\s*text,\\s*\"(\\w+)\"");

    @Test
    void thePageHasEachMetricOfTheCodeAndNoOtherOne() throws IOException {
        List<String> code = new ArrayList<>();
        for (Path file : Sources.of(CONTROLLER, ".java")) {
            String text = Files.readString(file);
            if (text.contains("io.prometheus.metrics")) {
                code.addAll(found(WRITTEN, text, UnaryOperator.identity()));
            }
            if (text.contains("micrometer") || text.contains("StateGauge")) {
                code.addAll(found(OPERATORS, text, UnaryOperator.identity()));
            }
        }
        assertThat(code).as("the operator's").hasSizeGreaterThan(10);
        String metrics = Files.readString(SUPERVISOR.resolve("metrics/SupervisorMetrics.java"));
        String counters = Files.readString(SUPERVISOR.resolve("engine/store/Counter.java"));
        UnaryOperator<String> prefixed = name -> "quiver.supervisor." + name;
        code.addAll(found(COUNTERS, counters, prefixed));
        code.addAll(found(GAUGES, metrics, prefixed));
        code.addAll(found(BUILT, metrics, prefixed));
        code.addAll(found(
                WRITTEN, Files.readString(SUPERVISOR.resolve("metrics/TaskSeconds.java")), UnaryOperator.identity()));
        code.addAll(found(HISTORYS, Files.readString(HISTORY), name -> "quiver_history_" + name));
        assertThat(listed())
                .containsExactlyInAnyOrderElementsOf(
                        code.stream().map(name -> name.replace('.', '_')).toList());
    }

    @Test
    void alertsAndDashboardsAskForWhatIsThere() throws IOException {
        Set<String> series = ROW.matcher(Files.readString(PAGE))
                .results()
                .flatMap(row ->
                        ENDS.getOrDefault(row.group(2), List.of("")).stream().map(end -> row.group(1) + end))
                .collect(Collectors.toSet());
        List<Path> askers = new ArrayList<>(Sources.of(ROOT.resolve("charts/quiver/files/monitoring"), ".yaml"));
        askers.addAll(Sources.of(ROOT.resolve("charts/quiver/files/monitoring"), ".json"));
        askers.add(ROOT.resolve("charts/alerts-test.yaml"));
        assertThat(askers).hasSize(5);
        for (Path asker : askers) {
            assertThat(found(ASKED, Files.readString(asker), UnaryOperator.identity()))
                    .as("%s", asker)
                    .isNotEmpty()
                    .isSubsetOf(series);
        }
    }

    /** As code names them: Micrometer adds the unit and the end of counters by itself. */
    private static List<String> listed() throws IOException {
        return ROW.matcher(Files.readString(PAGE))
                .results()
                .map(row -> {
                    String name = row.group(1);
                    boolean written = name.startsWith("quiver_history_");
                    return switch (row.group(2)) {
                        case "counter" -> written ? name : cut(name, "_total");
                        case "summary" -> cut(name, "_seconds");
                        default -> name;
                    };
                })
                .toList();
    }

    private static String cut(String name, String end) {
        assertThat(name).endsWith(end);
        return name.substring(0, name.length() - end.length());
    }

    private static List<String> found(Pattern pattern, String text, UnaryOperator<String> named) {
        return pattern.matcher(text)
                .results()
                .map(result -> named.apply(result.group(1)))
                .toList();
    }
}
