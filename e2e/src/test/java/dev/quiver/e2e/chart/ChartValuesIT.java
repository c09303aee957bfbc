package dev.quiver.e2e.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every value of the chart has an effect: another one changes what is rendered. */
class ChartValuesIT {

    /** Values that count only beside others, or take no word: their path, what they need, another value. */
    private static final String OWN_CHANGES = """
            crds.install | | crds.install=true
            image.pullSecrets | | image.pullSecrets[0]=other
            operator.watchNamespaces | | operator.watchNamespaces[0]=other
            operator.grantedPrefixes | | operator.grantedPrefixes.a=idoit:
            operator.probeHosts | | operator.probeHosts[0]=status.example.org
            operator.logLevel | | operator.logLevel=DEBUG
            operator.logFormat | | operator.logFormat=text
            operator.extraEnv | | operator.extraEnv[0].name=A,operator.extraEnv[0].value=b
            history.extraEnv | | history.extraEnv[0].name=A,history.extraEnv[0].value=b
            operator.extraVolumes | | operator.extraVolumes[0].name=a
            history.extraVolumes | | history.extraVolumes[0].name=a
            operator.extraVolumeMounts | | operator.extraVolumeMounts[0].name=a,operator.extraVolumeMounts[0].mountPath=/a
            history.extraVolumeMounts | | history.extraVolumeMounts[0].name=a,history.extraVolumeMounts[0].mountPath=/a
            operator.podDisruptionBudget.enabled | operator.replicas=2 | operator.podDisruptionBudget.enabled=false
            operator.podDisruptionBudget.maxUnavailable | operator.replicas=2 | operator.podDisruptionBudget.maxUnavailable=2
            operator.serviceAccount.create | operator.serviceAccount.name=mine | operator.serviceAccount.create=false
            history.serviceAccount.create | history.serviceAccount.name=mine | history.serviceAccount.create=false
            redis.bundled | | redis.bundled=false,redis.external.secretName=mine
            redis.external.secretName | redis.bundled=false,redis.external.secretName=a | redis.external.secretName=b
            redis.maxmemory | | redis.maxmemory=700mb
            redis.persistence.accessModes | redis.persistence.enabled=true | redis.persistence.accessModes[0]=ReadWriteOncePod
            redis.persistence.existingClaim | redis.persistence.enabled=true | redis.persistence.existingClaim=other
            redis.persistence.storageClassName | redis.persistence.enabled=true | redis.persistence.storageClassName=other
            redis.persistence.size | redis.persistence.enabled=true | redis.persistence.size=9Gi
            history.persistence.existingClaim | history.persistence.enabled=true | history.persistence.existingClaim=other
            history.persistence.storageClassName | history.persistence.enabled=true | history.persistence.storageClassName=other
            history.persistence.size | history.persistence.enabled=true | history.persistence.size=9Gi
            history.replicas | history.database.url=jdbc:postgresql://h:5432/n | history.replicas=2
            history.database.url | history.database.url=jdbc:postgresql://h:5432/n | history.database.url=jdbc:postgresql://h:5432/o
            history.database.existingSecret | history.database.url=jdbc:postgresql://h:5432/n | history.database.existingSecret=other
            history.retention.maxBytes | | history.retention.maxBytes=1000000
            history.emptyDir.sizeLimit | | history.emptyDir.sizeLimit=3Gi
            history.readers | | history.readers[0].kind=Group,history.readers[0].apiGroup=rbac.authorization.k8s.io,history.readers[0].name=a
            tenancy.mode | | tenancy.mode=shared
            tenancy.secrets | tenancy.mode=secrets,tenancy.secrets.a=mine | tenancy.secrets.a=other
            monitoring.enabled | | monitoring.enabled=true
            monitoring.labels | monitoring.enabled=true | monitoring.labels.release=other
            monitoring.interval | monitoring.enabled=true | monitoring.interval=10s
            monitoring.runbookUrl | monitoring.enabled=true | monitoring.runbookUrl=https://docs.example.com/RUNBOOKS.md
            networkPolicy.workers.namespaces | | networkPolicy.workers.namespaces[0]=other
            networkPolicy.workers.metricsFrom | networkPolicy.workers.namespaces[0]=a | networkPolicy.workers.metricsFrom[0].podSelector.matchLabels.a=b
            networkPolicy.workers.otherPortsFrom | networkPolicy.workers.namespaces[0]=a | networkPolicy.workers.otherPortsFrom[0].podSelector.matchLabels.a=b
            """;

    /** A certificate that the chart makes would be another one each time, and the definitions take most of the time. */
    private static final String BASE = "history.tls.secretName=tls,crds.install=false";

    /**
     * A value and another one.
     *
     * @param needs values beside which it counts, as {@code --set} takes them
     * @param change sets another value
     */
    record Change(String path, String needs, String change) {}

    private static final Map<String, String> BEFORE = new HashMap<>();
    private static Helm helm;

    @BeforeAll
    static void findsHelm() {
        helm = Helm.found();
    }

    private static Map<String, Change> ownChanges() {
        Map<String, Change> changes = new HashMap<>();
        OWN_CHANGES
                .lines()
                .map(line -> line.split(" ?\\| ?", -1))
                .forEach(words -> changes.put(words[0], new Change(words[0], words[1], words[2])));
        return changes;
    }

    private static Map<String, JsonNode> values() {
        Map<String, JsonNode> leaves = new TreeMap<>();
        try {
            collect(
                    "",
                    Serialization.unmarshal(Files.readString(Helm.file("charts/quiver/values.yaml")), JsonNode.class),
                    leaves);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return leaves;
    }

    private static void collect(String path, JsonNode value, Map<String, JsonNode> leaves) {
        if (value.isObject() && !value.isEmpty()) {
            value.properties()
                    .forEach(field -> collect(
                            (path.isEmpty() ? "" : path + ".") + field.getKey().replace(".", "\\."),
                            field.getValue(),
                            leaves));
        } else {
            leaves.put(path, value);
        }
    }

    static Stream<Change> changes() {
        Map<String, Change> own = ownChanges();
        return values().entrySet().stream()
                .map(value -> own.getOrDefault(
                        value.getKey(), new Change(value.getKey(), "", another(value.getKey(), value.getValue()))));
    }

    private static String another(String path, JsonNode value) {
        if (value.isBoolean()) {
            return path + "=" + !value.booleanValue();
        }
        if (value.isInt()) {
            return path + "=" + (value.intValue() + 1);
        }
        if (value.isObject()) {
            return path + "." + (path.endsWith(".affinity") ? "nodeAffinity.other" : "other") + "=value";
        }
        if (value.isArray()) {
            return array(path);
        }
        String word = path.contains("esources.") ? path.endsWith(".cpu") ? "7m" : "7Mi" : "other";
        return path + "="
                + (path.endsWith(".digest")
                        ? "sha256:" + "a".repeat(64)
                        : path.endsWith(".pullPolicy") ? "Always" : word);
    }

    private static String array(String path) {
        return path.endsWith(".tolerations")
                ? path + "[0].key=other," + path + "[0].operator=Exists"
                : path + "[0].maxSkew=1," + path + "[0].topologyKey=other," + path
                        + "[0].whenUnsatisfiable=ScheduleAnyway";
    }

    @ParameterizedTest
    @MethodSource("changes")
    void anotherValueChangesWhatIsRendered(Change value) {
        String before = BEFORE.computeIfAbsent(value.needs(), ChartValuesIT::render);
        assertThat(helm.text(BASE, value.needs(), value.change()))
                .as(value.path())
                .isNotEqualTo(before);
    }

    private static String render(String values) {
        return helm.text(BASE, values);
    }

    /** Else any value would seem to have an effect. */
    @Test
    void theSameValuesRenderTheSame() {
        assertThat(render("")).isEqualTo(render(""));
    }

    @Test
    void eachOwnChangeIsOfAValueOfTheChart() {
        assertThat(values().keySet()).containsAll(ownChanges().keySet());
    }
}
