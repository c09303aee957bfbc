package dev.quiver.e2e.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.crds.v1alpha1.TaskSet;

/** The pod that {@code helm test} runs: its image, its rights, and the TaskSet that it makes. */
class ChartTestIT {
    private static final String NAME = "quiver-test";
    private static final String HOOK = "helm.sh/hook";

    private static Helm helm;

    @BeforeAll
    static void findsHelm() {
        helm = Helm.found();
    }

    @Test
    void needsNoImageBesideTheOperators() {
        Rendered chart = helm.render("operator.image.digest=sha256:" + "a".repeat(64));
        String operator = "registry.example.com/quiver/operator@sha256:" + "a".repeat(64);
        assertThat(container(chart).getImage()).isEqualTo(operator);
        assertThat(container(chart).getArgs()).containsExactly("check-installation");
        assertThat(worker(chart).getContainers())
                .singleElement()
                .satisfies(worker -> assertThat(worker.getImage()).isEqualTo(operator));
    }

    /** Where a namespace enforces it, a test that is refused would tell nothing about the installation. */
    @Test
    void itsWorkersMeetTheRestrictedStandard() {
        PodSpec pod = worker(helm.render());
        assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
        assertThat(pod.getSecurityContext().getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
        assertThat(pod.getContainers()).singleElement().satisfies(worker -> {
            assertThat(worker.getSecurityContext().getAllowPrivilegeEscalation())
                    .isFalse();
            assertThat(worker.getSecurityContext().getCapabilities().getDrop()).containsExactly("ALL");
        });
    }

    @Test
    void endsByItselfBeforeHelmLosesPatience() {
        Pod pod = helm.render().the(Pod.class, NAME);
        assertThat(pod.getSpec().getActiveDeadlineSeconds())
                .as("helm waits for five minutes")
                .isLessThan(300);
        assertThat(pod.getSpec().getRestartPolicy()).isEqualTo("Never");
        assertThat(set(helm.render()).getSpec().ttlAfterFinished())
                .as("a test that was ended leaves no TaskSet for ever")
                .isPresent();
    }

    @Test
    void itsRightsAreThereOnlyWhileItRuns() {
        Rendered chart = helm.render();
        List<HasMetadata> rights = List.of(
                chart.the(ServiceAccount.class, NAME), chart.the(Role.class, NAME), chart.the(RoleBinding.class, NAME));
        assertThat(rights)
                .allSatisfy(right -> assertThat(right.getMetadata().getAnnotations())
                        .containsEntry(HOOK, "test")
                        .containsEntry("helm.sh/hook-weight", "-10")
                        .hasEntrySatisfying(
                                "helm.sh/hook-delete-policy",
                                policy -> assertThat(policy).contains("hook-succeeded", "hook-failed")));
        assertThat(chart.the(Role.class, NAME).getRules())
                .allSatisfy(rule -> assertThat(rule.getResources()).containsExactly("tasksets"))
                .flatExtracting(PolicyRule::getVerbs)
                .containsExactlyInAnyOrder("create", "get", "delete", "list");
    }

    /** Elsewhere nobody would run it. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            operator.replicas=1                                                     | quiver-system
            operator.watchNamespaces={team-b,team-a}                                 | team-b
            operator.watchNamespaces={team-a,quiver-system}                          | quiver-system
            tenancy.mode=secrets,tenancy.secrets.team-b=b,tenancy.secrets.team-a=a   | team-a
            tenancy.mode=secrets,tenancy.secrets.team-b=b,tenancy.secrets.quiver-system=a | quiver-system
            """)
    void itsTaskSetIsInANamespaceThatIsServed(String values, String namespace) {
        Rendered chart = helm.render(values);
        assertThat(set(chart).getMetadata().getNamespace()).isEqualTo(namespace);
        assertThat(chart.the(Role.class, NAME).getMetadata().getNamespace()).isEqualTo(namespace);
        RoleBinding binding = chart.the(RoleBinding.class, NAME);
        assertThat(binding.getMetadata().getNamespace()).isEqualTo(namespace);
        assertThat(binding.getSubjects())
                .singleElement()
                .satisfies(subject -> assertThat(subject.getNamespace()).isEqualTo("quiver-system"));
    }

    @Test
    void findsRedisAndHistoryWhereTheOperatorDoes() {
        assertThat(volume(helm.render(), "redis").getSecret().getSecretName()).isEqualTo("quiver-redis-admin");
        assertThat(volume(helm.render("redis.bundled=false", "redis.external.secretName=mine"), "redis")
                        .getSecret()
                        .getSecretName())
                .isEqualTo("mine");
        assertThat(container(helm.render()).getEnv())
                .anyMatch(variable -> variable.getName().equals("QUIVER_HISTORY_URL"));
        Rendered without = helm.render("history.enabled=false");
        assertThat(container(without).getEnv())
                .noneMatch(variable -> variable.getName().startsWith("QUIVER_HISTORY"));
        assertThat(without.the(Pod.class, NAME).getSpec().getVolumes())
                .extracting(Volume::getName)
                .containsExactly("tmp", "redis");
    }

    @Test
    void itsTaskSetHasANameThatTheApiServerTakesHoweverLongTheReleasesIs() {
        String release = "a".repeat(40);
        Rendered chart = helm.render("fullnameOverride=" + release);
        TaskSet set = set(chart.the(Pod.class, release + "-test")
                .getSpec()
                .getContainers()
                .getFirst());
        assertThat(set.getMetadata().getName()).hasSizeLessThanOrEqualTo(40).endsWith("-test");
        assertThat(chart.the(Role.class, release + "-test").getRules())
                .flatExtracting(PolicyRule::getResourceNames)
                .containsExactly(set.getMetadata().getName());
    }

    private static Container container(Rendered chart) {
        return chart.the(Pod.class, NAME).getSpec().getContainers().getFirst();
    }

    private static Volume volume(Rendered chart, String name) {
        return chart.the(Pod.class, NAME).getSpec().getVolumes().stream()
                .filter(volume -> volume.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static PodSpec worker(Rendered chart) {
        return set(chart).getSpec().workerTemplate().template().getSpec();
    }

    private static TaskSet set(Rendered chart) {
        return set(container(chart));
    }

    private static TaskSet set(Container container) {
        return container.getEnv().stream()
                .filter(variable -> variable.getName().equals("QUIVER_TEST_TASKSET"))
                .map(variable -> Serialization.unmarshal(variable.getValue(), TaskSet.class))
                .findFirst()
                .orElseThrow();
    }
}
