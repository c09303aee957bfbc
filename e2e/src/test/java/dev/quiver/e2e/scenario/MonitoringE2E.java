package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import com.fasterxml.jackson.databind.JsonNode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.e2e.cluster.Repository;
import dev.quiver.e2e.quiver.Disturbance;
import dev.quiver.e2e.quiver.Gate;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Prometheus;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;

/** A real Prometheus at a real installation, by the chart's own monitors, dashboards and alerts. */
@Disturbance
class MonitoringE2E {

    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(quiver_\\w+)` \\| (\\w+) \\| ([^|]*) \\|");
    /** Labels that come from the target, or from Prometheus' own types. */
    private static final Set<String> NOT_OURS = Set.of("__name__", "job", "instance", "pod", "le", "quantile");

    private static final int HELD = 12;

    /** Metrics without a series as long as nothing is wrong. */
    private static final Set<String> OF_TROUBLE =
            Set.of("quiver_pool_cannot_start", "quiver_reconcile_failures_total", "quiver_resource_wanted");

    @Test
    void everyPanelHasFiguresThePageIsRightAndAnAbsentRedisIsAnAlarm(Space space, Installation quiver)
            throws IOException {
        Pool pool = pool(space);
        space.run(Tasks.shell("measured", "true").count(20).on(pool, 1)).awaitFinished();
        Run held = space.run(Tasks.shell("held", Gate.WAIT).count(HELD).on(pool, 1));
        held.await("all slots are busy", status -> status.running() >= 4);
        try (Prometheus prometheus = Prometheus.of(quiver.cluster())) {
            prometheus.awaitTargets();

            Awaitility.await("the pool's own figures").untilAsserted(() -> {
                assertThat(value(prometheus, "quiver_pool_tasks{state=\"running\",namespace=\"" + space.name() + "\"}"))
                        .isBetween(4.0, (double) HELD);
                assertThat(value(
                                prometheus,
                                "quiver_supervisor_slots_busy{pool=\"measured\",namespace=\"" + space.name() + "\"}"))
                        .isEqualTo(4);
            });
            Awaitility.await("each panel has a series")
                    .untilAsserted(() -> assertThat(prometheus.expressions())
                            .hasSizeGreaterThan(50)
                            .filteredOn(
                                    expression -> prometheus.query(expression).isEmpty())
                            .isEmpty());
            thePageIsRight(prometheus);
            assertThat(prometheus.firing()).doesNotContain("StoreDown", "OperatorAbsent", "StoreEvicts");
            new Gate(space).letEnd(held);
            quiver.scale(Installation.REDIS, 0);
            try {
                Awaitility.await("StoreDown fires")
                        .until(() -> prometheus.firing().contains("StoreDown"));
            } finally {
                quiver.scale(Installation.REDIS, 1);
            }
            Awaitility.await("and no longer").until(() -> !prometheus.firing().contains("StoreDown"));
        }
    }

    /** Commands about an earlier container, and those that ask a server of metrics, are left out. */
    @Test
    void theCommandsOfTheRunbooksAreOnesThatKubectlTakes(Space space, @TempDir Path folder) throws IOException {
        pool(space);
        List<String> commands = Files.readString(Repository.root().resolve("charts/RUNBOOKS.md"))
                .lines()
                .filter(line -> line.startsWith("    kubectl "))
                .map(line ->
                        line.strip().replace("NAMESPACE ", space.name() + " ").replace("POOL", "measured"))
                .filter(line -> !line.contains(" --previous") && !line.contains(" top "))
                .distinct()
                .toList();
        assertThat(commands).hasSizeGreaterThan(20);
        space.kubectl().script(folder, String.join("\n", commands));
    }

    private static Pool pool(Space space) {
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: WorkerPool
                metadata: {name: measured}
                spec:
                  replicas: 1
                  autoscaling: {maxReplicas: 2, mode: Report}
                  slots: {count: 4}
                  template: {spec: {securityContext: {runAsNonRoot: true}, containers: [{name: worker, image: quiver/demo:0.1.0}]}}
                """);
        Pool pool = space.pool("measured");
        pool.awaitReady();
        return pool;
    }

    private static double value(Prometheus prometheus, String expression) {
        List<JsonNode> found = prometheus.query(expression);
        return found.isEmpty() ? Double.NaN : found.getFirst().at("/value/1").asDouble();
    }

    /** Types and labels of METRICS.md are those that were scraped, of every metric. */
    private static void thePageIsRight(Prometheus prometheus) throws IOException {
        Map<String, MatchResult> page = ROW.matcher(
                        Files.readString(Repository.root().resolve("operator/METRICS.md")))
                .results()
                .collect(Collectors.toMap(row -> row.group(1), row -> row));
        Map<String, Set<String>> labels = new TreeMap<>();
        for (JsonNode series : prometheus.series()) {
            String name = series.get("__name__").asText();
            String metric = page.containsKey(name) ? name : name.replaceFirst("_(count|sum|bucket|max)$", "");
            assertThat(page).as("%s", series).containsKey(metric);
            Set<String> own = labels.computeIfAbsent(metric, _ -> new TreeSet<>());
            series.fieldNames().forEachRemaining(own::add);
            own.removeAll(NOT_OURS);
        }
        Set<String> expected = new TreeSet<>(page.keySet());
        expected.removeAll(OF_TROUBLE);
        assertThat(labels.keySet()).containsAll(expected);
        JsonNode metadata = prometheus.metadata();
        labels.forEach((metric, own) -> {
            Set<String> written = labels(page.get(metric).group(3));
            // The target's; of a pool's metrics they are the operator's own words.
            Set<String> target = new TreeSet<>(Set.of("namespace", "pool"));
            target.removeAll(written);
            own.removeAll(target);
            assertThat(own).as(metric).isEqualTo(written);
            String scraped = metadata.has(metric) ? metric : metric.replaceFirst("_total$", "");
            assertThat(metadata.at("/" + scraped + "/0/type").asText())
                    .as(metric)
                    .isEqualTo(page.get(metric).group(2));
        });
    }

    private static Set<String> labels(String cell) {
        return Arrays.stream(cell.split(", "))
                .map(label -> label.strip().replace("`", ""))
                .filter(label -> !label.equals("none"))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
