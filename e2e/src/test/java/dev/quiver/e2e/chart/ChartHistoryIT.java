package dev.quiver.e2e.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretVolumeSource;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The second program of the operator's image: where its record lies, and who reaches it. */
class ChartHistoryIT {
    private static Helm helm;

    @BeforeAll
    static void findsHelm() {
        helm = Helm.found();
    }

    @Test
    void isTheOperatorsImageWithAnotherCommand() throws Exception {
        Rendered chart = helm.render("operator.image.registry=registry.example.com");
        Container history = container(chart);
        assertThat(history.getImage()).isEqualTo("registry.example.com/quiver/operator:" + Helm.version());
        assertThat(history.getCommand())
                .containsExactly(
                        "/quiver/runtime/bin/java",
                        "-XX:AOTCache=/quiver/history.aot",
                        "@/quiver/history.args",
                        "dev.quiver.history.Main");
        assertThat(Files.readString(Helm.file("operator/image/train-history")))
                .as("the same files as in training")
                .contains("/quiver/history.aot", "@/quiver/history.args dev.quiver.history.Main");
    }

    @Test
    void theOperatorKnowsWhereSupervisorsBringLargeResults() {
        assertThat(operatorsVariable(helm.render(), "QUIVER_HISTORY_URL").getValue())
                .isEqualTo("https://quiver-history.quiver-system.svc:8443");
        assertThat(operatorsVariable(helm.render(), "QUIVER_HISTORY_CA").getValue())
                .isEqualTo("/quiver/history/ca.crt");
        assertThat(operatorsVariable(helm.render(), "QUIVER_HISTORY_TOKEN").getValue())
                .as("the operator's own token, for history alone")
                .isEqualTo("/quiver/history-token/token");
        var own = authorities(helm.render());
        assertThat(own.getSecretName()).isEqualTo("quiver-history-tls");
        assertThat(own.getItems())
                .singleElement()
                .satisfies(
                        item -> assertThat(item.getKey() + " " + item.getPath()).isEqualTo("tls.crt ca.crt"));
        var named = authorities(helm.render("history.tls.secretName=theirs"));
        assertThat(named.getSecretName()).isEqualTo("theirs");
        assertThat(named.getItems())
                .singleElement()
                .satisfies(
                        item -> assertThat(item.getKey() + " " + item.getPath()).isEqualTo("ca.crt ca.crt"));
        assertThat(named.getOptional()).isTrue();
    }

    /** The volume from which the operator reads certificates, so that renewed ones need no restart. */
    private static SecretVolumeSource authorities(Rendered chart) {
        PodSpec pod = chart.the(Deployment.class, "quiver-operator")
                .getSpec()
                .getTemplate()
                .getSpec();
        assertThat(pod.getContainers().getFirst().getVolumeMounts())
                .anyMatch(mount -> mount.getName().equals("history")
                        && mount.getMountPath().equals("/quiver/history")
                        && mount.getSubPath() == null);
        return pod.getVolumes().stream()
                .filter(volume -> volume.getName().equals("history"))
                .findFirst()
                .orElseThrow()
                .getSecret();
    }

    private static EnvVar operatorsVariable(Rendered chart, String name) {
        return chart.the(Deployment.class, "quiver-operator").getSpec().getTemplate().getSpec().getContainers().stream()
                .flatMap(container -> container.getEnv().stream())
                .filter(variable -> variable.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void listensToOthersWithTlsAndForProbesAlone() {
        Rendered chart = helm.render();
        assertThat(container(chart).getPorts())
                .extracting(ContainerPort::getContainerPort)
                .containsExactly(8443, 8081);
        assertThat(chart.the(Service.class, "quiver-history").getSpec().getPorts())
                .singleElement()
                .satisfies(port -> assertThat(port.getPort()).isEqualTo(8443));
        assertThat(chart.the(NetworkPolicy.class, "quiver-history").getSpec().getIngress())
                .singleElement()
                .satisfies(rule -> assertThat(rule.getPorts())
                        .extracting(port -> port.getPort().getStrVal())
                        .containsExactly("https", "probes"));
        assertThat(environment(chart))
                .containsEntry("QUIVER_HTTP_PORT", "8080")
                .containsEntry("QUIVER_HISTORY_TLS_PORT", "8443")
                .containsEntry("QUIVER_PROBE_PORT", "8081");
    }

    @Test
    void withoutAWordTheRecordIsInAnEmptyDirAndTheProgramKnows() {
        StatefulSet set = set(helm.render());
        assertThat(set.getSpec().getReplicas()).isEqualTo(1);
        assertThat(set.getSpec().getVolumeClaimTemplates()).isEmpty();
        assertThat(volume(set, "data").getEmptyDir().getSizeLimit().toString()).isEqualTo("2Gi");
        assertThat(volume(set, "redis").getSecret().getSecretName()).isEqualTo("quiver-redis-history");
        assertThat(environment(helm.render()))
                .containsEntry("QUIVER_HISTORY_EMPTY_DIR", "true")
                .containsEntry("QUIVER_HISTORY_EMPTY_DIR_LIMIT", "2Gi")
                .containsEntry("QUIVER_HISTORY_DATABASE", "/var/lib/quiver/history.db")
                .containsEntry("QUIVER_HISTORY_DAYS", "30")
                .containsEntry("QUIVER_HISTORY_RUNS", "200")
                .containsEntry("QUIVER_HISTORY_OUTPUT_DAYS", "7")
                .containsEntry("QUIVER_HISTORY_MAX_BYTES", "1073741824");
    }

    @Test
    void aVolumeIsAskedForOrNamed() {
        StatefulSet claimed = set(helm.render(
                "history.persistence.enabled=true",
                "history.persistence.storageClassName=fast",
                "history.persistence.size=20Gi",
                "history.retention.maxBytes=0"));
        assertThat(claimed.getSpec().getVolumeClaimTemplates()).singleElement().satisfies(claim -> {
            assertThat(claim.getSpec().getStorageClassName()).isEqualTo("fast");
            assertThat(claim.getSpec()
                            .getResources()
                            .getRequests()
                            .get("storage")
                            .toString())
                    .isEqualTo("20Gi");
        });
        Rendered existing = helm.render("history.persistence.enabled=true", "history.persistence.existingClaim=mine");
        assertThat(set(existing).getSpec().getVolumeClaimTemplates()).isEmpty();
        assertThat(volume(set(existing), "data").getPersistentVolumeClaim().getClaimName())
                .isEqualTo("mine");
        assertThat(environment(existing)).containsEntry("QUIVER_HISTORY_EMPTY_DIR", "false");
    }

    @Test
    void postgresqlNeedsNoVolumeAndAllowsReplicas() {
        Rendered chart = helm.render(
                "history.database.url=jdbc:postgresql://db/quiver",
                "history.database.existingSecret=db",
                "history.replicas=2");
        assertThat(set(chart).getSpec().getReplicas()).isEqualTo(2);
        assertThat(pod(chart).getVolumes()).extracting(Volume::getName).doesNotContain("data");
        assertThat(environment(chart))
                .containsEntry("QUIVER_HISTORY_DATABASE", "jdbc:postgresql://db/quiver")
                .containsEntry("QUIVER_HISTORY_EMPTY_DIR", "false");
        assertThat(container(chart).getEnv())
                .filteredOn(variable -> variable.getValueFrom() != null
                        && variable.getValueFrom().getSecretKeyRef() != null)
                .extracting(
                        EnvVar::getName,
                        variable -> variable.getValueFrom().getSecretKeyRef().getKey())
                .containsExactly(tuple("QUIVER_HISTORY_USER", "user"), tuple("QUIVER_HISTORY_PASSWORD", "password"));
        assertThat(helm.refusal("history.database.url=jdbc:postgresql://db/q", "history.persistence.enabled=true"))
                .contains("history.persistence.enabled");
    }

    @Test
    void withoutASecretTheChartMakesACertificateForTheService() throws Exception {
        Secret made = helm.render().the(Secret.class, "quiver-history-tls");
        X509Certificate certificate = (X509Certificate) CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(
                        Base64.getDecoder().decode(made.getData().get("tls.crt"))));
        assertThat(certificate.getSubjectAlternativeNames())
                .extracting(name -> (Object) name.get(1))
                .contains("quiver-history.quiver-system.svc", "localhost", "127.0.0.1");
        Rendered named = helm.render("history.tls.secretName=ours");
        assertThat(named.has(Secret.class, "quiver-history-tls")).isFalse();
        assertThat(volume(set(named), "tls").getSecret().getSecretName()).isEqualTo("ours");
    }

    @Test
    void switchedOffNothingOfItIsLeft() {
        Rendered chart = helm.render("history.enabled=false");
        assertThat(chart.objects())
                .extracting(object -> object.getMetadata().getName())
                .noneMatch(name -> name.contains("history"));
        assertThat(environment(chart, "operator")).containsEntry("QUIVER_HISTORY", "false");
        assertThat(environment(helm.render(), "operator")).containsEntry("QUIVER_HISTORY", "true");
    }

    private static StatefulSet set(Rendered chart) {
        return chart.the(StatefulSet.class, "quiver-history");
    }

    private static PodSpec pod(Rendered chart) {
        return set(chart).getSpec().getTemplate().getSpec();
    }

    private static Container container(Rendered chart) {
        return pod(chart).getContainers().getFirst();
    }

    private static Volume volume(StatefulSet set, String name) {
        List<Volume> volumes = set.getSpec().getTemplate().getSpec().getVolumes();
        return volumes.stream()
                .filter(volume -> volume.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Map<String, String> environment(Rendered chart) {
        return environment(chart, "history");
    }

    private static Map<String, String> environment(Rendered chart, String container) {
        return chart.containers()
                .filter(each -> each.getName().equals(container))
                .flatMap(each -> each.getEnv().stream())
                .filter(variable -> variable.getValue() != null)
                .collect(Collectors.toMap(EnvVar::getName, EnvVar::getValue));
    }
}
