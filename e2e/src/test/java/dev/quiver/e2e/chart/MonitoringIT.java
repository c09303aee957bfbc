package dev.quiver.e2e.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.e2e.cluster.Command;

/** Monitors, alerts and dashboards of the chart, and promtool's own tests of the alerts. */
class MonitoringIT {

    private static final String PROMETHEUS_OPERATOR = "monitoring.coreos.com/v1";
    private static final Path ALERTS = Helm.file("charts/quiver/files/monitoring/alerts.yaml");
    private static final Path CASES = Helm.file("charts/alerts-test.yaml");
    private static final Path RUNBOOKS = Helm.file("charts/RUNBOOKS.md");
    private static final Pattern SECTION = Pattern.compile("(?ms)^## (\\w+)\\n(.*?)(?=^## |\\z)");
    private static final int COMMANDS = 3;

    private static Helm helm;

    @BeforeAll
    static void findsHelm() {
        helm = Helm.found();
    }

    private static String promtool(String... words) {
        Assumptions.assumeTrue(
                Stream.of(System.getenv("PATH").split(":"))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "promtool"))),
                "promtool is missing: apt-get install prometheus");
        return Command.of(Stream.concat(Stream.of("promtool"), Stream.of(words)).toArray(String[]::new))
                .run();
    }

    private static JsonNode yaml(Path file) throws IOException {
        return Serialization.unmarshal(Files.readString(file), JsonNode.class);
    }

    private static List<JsonNode> rules(JsonNode groups) {
        return StreamSupport.stream(groups.spliterator(), false)
                .flatMap(group -> StreamSupport.stream(group.get("rules").spliterator(), false))
                .toList();
    }

    private static Set<String> alerts() throws IOException {
        return rules(yaml(ALERTS).get("groups")).stream()
                .map(rule -> rule.get("alert").asText())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<GenericKubernetesResource> ofPrometheusOperator(Rendered rendered) {
        return rendered.objects().stream()
                .filter(object -> object.getApiVersion().equals(PROMETHEUS_OPERATOR))
                .toList();
    }

    private static JsonNode spec(Rendered rendered, String kind, String name) {
        return ofPrometheusOperator(rendered).stream()
                .filter(object -> object.getKind().equals(kind)
                        && object.getMetadata().getName().equals(name))
                .map(object -> Serialization.unmarshal(Serialization.asJson(object), JsonNode.class)
                        .get("spec"))
                .findFirst()
                .orElseThrow(() -> new AssertionError(kind + " " + name));
    }

    @Test
    void nothingOfItIsThereUnlessAsked() {
        Rendered rendered = helm.render();
        assertThat(ofPrometheusOperator(rendered)).isEmpty();
        assertThat(dashboards(rendered)).isEmpty();
    }

    @Test
    void promtoolPassesTheRulesAndEachCase() {
        assertThat(promtool("check", "rules", ALERTS.toString())).contains("SUCCESS");
        assertThat(promtool("test", "rules", CASES.toString())).contains("SUCCESS");
    }

    /** Each case that fires shows that its rule is there and can fire; the quiet one is as close to it as it gets. */
    @Test
    void eachAlertHasACaseThatFiresAndOneThatDoesNot() throws IOException {
        Map<String, List<Boolean>> cases = new TreeMap<>();
        yaml(CASES)
                .get("tests")
                .forEach(test -> test.get("alert_rule_test")
                        .forEach(alert -> cases.computeIfAbsent(
                                        alert.get("alertname").asText(), _ -> new ArrayList<>())
                                .add(!alert.get("exp_alerts").isEmpty())));
        assertThat(cases.keySet()).isEqualTo(alerts());
        assertThat(cases.values()).allSatisfy(fires -> assertThat(fires).contains(true, false));
    }

    @Test
    void eachAlertHasARunbookWithThreeCommands() throws IOException {
        Map<String, String> sections = SECTION.matcher(Files.readString(RUNBOOKS))
                .results()
                .collect(Collectors.toMap(section -> section.group(1), section -> section.group(2)));
        assertThat(sections.keySet()).isEqualTo(alerts());
        sections.forEach((alert, text) -> {
            List<String> commands =
                    text.lines().filter(line -> line.startsWith("    ")).toList();
            assertThat(commands).as(alert).hasSize(COMMANDS).allMatch(line -> line.startsWith("    kubectl "));
            assertThat(text.strip().split("\n\n"))
                    .as("meaning, commands, remedy of %s", alert)
                    .hasSize(COMMANDS);
        });
    }

    @Test
    void theRuleHasTheAlertsOfTheFileWithTheirRunbooks() throws IOException {
        Rendered rendered =
                helm.render("monitoring.enabled=true", "monitoring.runbookUrl=https://docs.example.com/RUNBOOKS.md");
        List<JsonNode> shown = rules(spec(rendered, "PrometheusRule", "quiver").get("groups"));
        List<JsonNode> written = rules(yaml(ALERTS).get("groups"));
        assertThat(shown).hasSameSizeAs(written);
        for (int i = 0; i < written.size(); i++) {
            String alert = written.get(i).get("alert").asText();
            for (String part : List.of("alert", "expr", "for", "labels")) {
                assertThat(shown.get(i).get(part))
                        .as(alert)
                        .isEqualTo(written.get(i).get(part));
            }
            assertThat(shown.get(i).at("/annotations/runbook_url").asText())
                    .isEqualTo("https://docs.example.com/RUNBOOKS.md#" + alert.toLowerCase(Locale.ROOT));
            assertThat(shown.get(i).at("/annotations/summary"))
                    .isEqualTo(written.get(i).at("/annotations/summary"));
        }
        assertThat(helm.text("monitoring.enabled=true")).doesNotContain("runbook_url");
    }

    @Test
    void theMonitorsFindThePortsAndLabelsOfWhatRuns() {
        Rendered rendered = helm.render("monitoring.enabled=true", "monitoring.labels.release=prom");
        assertThat(ofPrometheusOperator(rendered))
                .hasSize(4)
                .allSatisfy(
                        object -> assertThat(object.getMetadata().getLabels()).containsEntry("release", "prom"));
        JsonNode service = spec(rendered, "ServiceMonitor", "quiver-operator");
        assertThat(service.at("/endpoints/0/port").asText()).isEqualTo("http");
        assertThat(service.at("/endpoints/0/honorLabels").asBoolean())
                .as("the namespace of a pool, not that of the operator")
                .isTrue();
        JsonNode workers = spec(rendered, "PodMonitor", "quiver-workers");
        assertThat(workers.at("/namespaceSelector/any").asBoolean()).isTrue();
        assertThat(workers.at("/selector/matchExpressions/0/key").asText()).isEqualTo("quiver.dev/pool");
        assertThat(spec(rendered, "PodMonitor", "quiver-history")
                        .at("/podMetricsEndpoints/0/port")
                        .asText())
                .isEqualTo("probes");
        Rendered some = helm.render("monitoring.enabled=true", "operator.watchNamespaces[0]=team-a");
        assertThat(spec(some, "PodMonitor", "quiver-workers")
                        .at("/namespaceSelector/matchNames/0")
                        .asText())
                .isEqualTo("team-a");
        assertThat(ofPrometheusOperator(helm.render("monitoring.enabled=true", "history.enabled=false")))
                .noneMatch(object -> object.getMetadata().getName().contains("history"));
    }

    private static List<ConfigMap> dashboards(Rendered rendered) {
        return rendered.all(ConfigMap.class).stream()
                .filter(map -> map.getMetadata().getLabels() != null
                        && "1".equals(map.getMetadata().getLabels().get("grafana_dashboard")))
                .toList();
    }

    @Test
    void thereAreThreeDashboardsWhosePanelsStandApart() {
        List<ConfigMap> maps = dashboards(helm.render("monitoring.enabled=true"));
        assertThat(maps).hasSize(3);
        Set<String> names = new TreeSet<>();
        for (ConfigMap map : maps) {
            map.getData().forEach((file, text) -> {
                JsonNode board = Serialization.unmarshal(text, JsonNode.class);
                names.add(board.get("title").asText());
                assertThat(board.get("uid").asText()).startsWith("quiver-");
                Set<String> places = new TreeSet<>();
                board.get("panels").forEach(panel -> {
                    assertThat(panel.get("title").asText()).as(file).isNotBlank();
                    assertThat(panel.get("targets"))
                            .as(panel.get("title").asText())
                            .isNotEmpty();
                    JsonNode at = panel.get("gridPos");
                    for (int x = at.get("x").asInt();
                            x < at.get("x").asInt() + at.get("w").asInt();
                            x++) {
                        for (int y = at.get("y").asInt();
                                y < at.get("y").asInt() + at.get("h").asInt();
                                y++) {
                            assertThat(places.add(x + "," + y))
                                    .as(panel.get("title").asText())
                                    .isTrue();
                        }
                    }
                });
            });
        }
        assertThat(names).containsExactly("Quiver / Overview", "Quiver / Pool", "Quiver / Store and record");
    }

    /** The dashboards' variables in words that promtool takes. */
    private static String plain(String expression) {
        return expression
                .replace("$__rate_interval", "5m")
                .replace("$namespace", ".+")
                .replace("$pool", ".+");
    }

    @Test
    void promtoolReadsEveryExpressionOfTheDashboards(@TempDir Path folder) throws IOException {
        List<String> records = new ArrayList<>();
        for (ConfigMap map : dashboards(helm.render("monitoring.enabled=true"))) {
            for (String text : map.getData().values()) {
                Serialization.unmarshal(text, JsonNode.class)
                        .findValuesAsText("expr")
                        .forEach(expression -> records.add("      - {record: 'a:b', labels: {n: '" + records.size()
                                + "'}, expr: '" + plain(expression).replace("'", "''") + "'}"));
            }
        }
        assertThat(records).hasSizeGreaterThan(40);
        Path rules = folder.resolve("rules.yaml");
        Files.writeString(rules, "groups:\n  - name: panels\n    rules:\n" + String.join("\n", records) + "\n");
        assertThat(promtool("check", "rules", rules.toString())).contains("SUCCESS");
    }
}
