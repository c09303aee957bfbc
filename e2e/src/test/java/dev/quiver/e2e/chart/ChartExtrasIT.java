package dev.quiver.e2e.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Labels, annotations and volumes that the chart's users add to its objects. */
class ChartExtrasIT {

    private static Helm helm;

    @BeforeAll
    static void findsHelm() {
        helm = Helm.found();
    }

    @Test
    void commonLabelsAndAnnotationsAreOnEveryObjectBelowItsOwn() {
        String[] everything = {"monitoring.enabled=true", "operator.replicas=2", "networkPolicy.workers.namespaces[0]=a"
        };
        Rendered chart = helm.render(Stream.concat(
                        Stream.of(everything),
                        Stream.of(
                                "commonLabels.team=a",
                                "commonLabels.app\\.kubernetes\\.io/name=other",
                                "commonAnnotations.owner=b",
                                "history.podLabels.team=c",
                                "history.service.annotations.owner=d"))
                .toArray(String[]::new));
        assertThat(chart.objects())
                .extracting(GenericKubernetesResource::getMetadata)
                .allSatisfy(each -> assertThat(each.getLabels())
                        .containsEntry("team", "a")
                        .containsEntry("app.kubernetes.io/name", "quiver"))
                .allSatisfy(each -> assertThat(each.getAnnotations()).containsKey("owner"));
        assertThat(chart.the(Service.class, "quiver-history").getMetadata().getAnnotations())
                .containsEntry("owner", "d");
        assertThat(chart.pods())
                .allSatisfy((of, pod) -> assertThat(pod.getMetadata().getLabels())
                        .containsEntry("team", of.endsWith("-history") ? "c" : "a"));
        Rendered plain = helm.render(everything);
        assertThat(chart.all(Deployment.class))
                .extracting(each -> each.getSpec().getSelector())
                .as("what an upgrade may not change")
                .isEqualTo(plain.all(Deployment.class).stream()
                        .map(each -> each.getSpec().getSelector())
                        .toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"Deployment quiver-operator", "StatefulSet quiver-history"})
    void extraVolumesAreMountedIntoTheContainer(String owner) {
        String component = owner.substring(owner.lastIndexOf('-') + 1);
        PodSpec pod = helm.render(
                        component + ".extraVolumes[0].name=ca",
                        component + ".extraVolumes[0].configMap.name=our-ca",
                        component + ".extraVolumeMounts[0].name=ca",
                        component + ".extraVolumeMounts[0].mountPath=/etc/our-ca")
                .pods()
                .get(owner)
                .getSpec();
        assertThat(pod.getVolumes()).anySatisfy(volume -> {
            assertThat(volume.getName()).isEqualTo("ca");
            assertThat(volume.getConfigMap().getName()).isEqualTo("our-ca");
        });
        assertThat(pod.getContainers().getFirst().getVolumeMounts())
                .anySatisfy(mount -> assertThat(mount.getMountPath()).isEqualTo("/etc/our-ca"));
    }
}
