package dev.quiver.controller.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSecurityContextBuilder;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.controller.rig.Kubelet;
import dev.quiver.controller.rig.NoopWorker;
import dev.quiver.controller.rig.RunningOperator;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.Quiver;
import dev.quiver.crds.v1alpha1.Rollout;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolReason;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;

/** The pods of a pool, over its life. */
@ExtendWith(ApiServer.class)
class PoolIT {

    @RegisterExtension
    static final RunningOperator OPERATOR = new RunningOperator();

    @Test
    void makesPodsNamedByHashAndLowestOrdinal(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.pool("made", 3)).create();
        List<Pod> pods = seen.awaitPods("made", 3);
        String hash = seen.awaitPool("made", s -> s.templateHash() != null).templateHash();
        assertThat(names(pods))
                .containsExactlyInAnyOrder("made-" + hash + "-0", "made-" + hash + "-1", "made-" + hash + "-2");
        new Kubelet(client).allReady("made");
        var status = seen.awaitPool("made", s -> s.readyReplicas() == 3);
        assertThat(status.selector()).isEqualTo("quiver.dev/pool=made");
        assertThat(Seen.condition(status.conditions(), ConditionType.Ready).getStatus())
                .isEqualTo("True");
    }

    @Test
    void scalesInIdlePodsFirstAndTellsTheWorkerThroughRedis(KubernetesClient client) throws InterruptedException {
        Seen seen = new Seen(client);
        client.resource(Samples.pool("shrinks", 2)).create();
        client.resource(Samples.set(
                        "work", Samples.counted(5).workerTemplate(null).workerPoolRef(new WorkerPoolRef("shrinks"))))
                .create();
        List<Pod> pods = seen.awaitPods("shrinks", 2);
        new Kubelet(client).allReady("shrinks");
        Pod idlePod = pods.stream()
                .filter(p -> p.getMetadata().getName().endsWith("-0"))
                .findFirst()
                .orElseThrow();
        Pod busyPod = pods.stream()
                .filter(p -> p.getMetadata().getName().endsWith("-1"))
                .findFirst()
                .orElseThrow();
        try (NoopWorker idle = seen.awaitWorker(idlePod, OPERATOR.redisUri());
                NoopWorker busy = seen.awaitWorker(busyPod, OPERATOR.redisUri())) {
            Seen.until(() -> busy.claim(2), held -> held >= 2);
            busy.heartbeat();
            idle.heartbeat();
            var status = seen.awaitPool("shrinks", s -> s.busySlots() != null && s.busySlots() >= 2);
            assertThat(status.slots()).isEqualTo(8);
            client.resources(WorkerPool.class).withName("shrinks").scale(1);
            List<Pod> left = seen.awaitPods("shrinks", 1);
            assertThat(names(left)).containsExactly(busyPod.getMetadata().getName());
            var draining = seen.awaitPool("shrinks", s -> s.drainingReplicas() == 1);
            assertThat(Seen.condition(draining.conditions(), ConditionType.Draining)
                            .getReason())
                    .isEqualTo(WorkerPoolReason.ScalingDown.name());
            assertThat(idle.claim(1)).as("a draining worker gets nothing").isZero();
        }
    }

    @Test
    void rollsToANewTemplateWithinItsBounds(KubernetesClient client) {
        Seen seen = new Seen(client);
        Kubelet kubelet = new Kubelet(client);
        client.resource(Samples.pool("rolls", 4)).create();
        seen.awaitPods("rolls", 4);
        kubelet.allReady("rolls");
        String old = seen.awaitPool("rolls", s -> s.readyReplicas() == 4).templateHash();
        Samples.patch(
                client,
                WorkerPool.class,
                "rolls",
                "\"template\":{\"spec\":{\"containers\":[{\"name\":\"worker\",\"image\":\"app:2\"}]}}");
        Seen.until(() -> kubelet.live("rolls"), pods -> count(pods, old) == 3 && pods.size() == 4);
        // The new pod is not ready: a quarter is missing already, so nothing more moves.
        assertThat(count(kubelet.live("rolls"), old)).isEqualTo(3);
        assertThat(seen.awaitPool("rolls", ConditionType.Ready, WorkerPoolReason.RollingOut)
                        .getMessage())
                .startsWith("3 of 4 pods are ready.");
        Seen.until(
                () -> {
                    kubelet.allReady("rolls");
                    kubelet.finish("rolls");
                    return kubelet.live("rolls");
                },
                pods -> count(pods, old) == 0 && pods.size() == 4);
        kubelet.allReady("rolls");
        seen.awaitPool("rolls", ConditionType.Ready, WorkerPoolReason.AllReplicasReady);
    }

    @Test
    void aRolloutInQuotedNumbersIsARollout(KubernetesClient client) {
        WorkerPool pool = Samples.pool("quoted", 1);
        pool.setSpec(WorkerPoolSpecBuilder.builder(pool.getSpec())
                .rollout(new Rollout(new IntOrString("1"), new IntOrString("0")))
                .build());
        client.resource(pool).create();
        new Seen(client).awaitPods("quoted", 1);
    }

    @Test
    void replacesAPodThatFailedAndSaysSo(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.pool("evicted", 1)).create();
        Pod pod = seen.awaitPods("evicted", 1).getFirst();
        new Kubelet(client).failed(pod, "Evicted", "The node was low on resource: memory.");
        Seen.until(
                () -> new Kubelet(client).live("evicted"),
                pods -> pods.size() == 1
                        && !pods.getFirst()
                                .getMetadata()
                                .getUid()
                                .equals(pod.getMetadata().getUid()));
        assertThat(Seen.until(() -> seen.events("evicted"), e -> e.contains("PodsReplaced")))
                .isNotEmpty();
    }

    @Test
    void theSessionOfAPodThatIsEvictedKnowsWhy(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.pool("fated", 1)).create();
        Pod pod = seen.awaitPods("fated", 1).getFirst();
        new Kubelet(client).ready(pod);
        try (NoopWorker worker = seen.awaitWorker(pod, OPERATOR.redisUri())) {
            new Kubelet(client).failed(pod, "Evicted", "Pod ephemeral local storage usage exceeds the total limit");
            assertThat(Seen.until(worker::fate, Optional::isPresent))
                    .contains("the pod ended: Evicted: Pod ephemeral local storage usage exceeds the total limit");
        }
    }

    @Test
    void aPodWhoseContainerBrokeTheRulesOfTheSlotsIsReplacedAndSaidOnce(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.pool("hostile", 1)).create();
        Pod pod = seen.awaitPods("hostile", 1).getFirst();
        new Kubelet(client).ready(pod);
        assertThat(seen.awaitPool("hostile", ConditionType.SlotsIntact, WorkerPoolReason.SlotsIntact)
                        .getStatus())
                .isEqualTo("True");
        try (NoopWorker worker = seen.awaitWorker(pod, OPERATOR.redisUri())) {
            worker.complain("WORD_BACKWARDS in slot 3: generation 7 after 9");
            var said = seen.awaitPool("hostile", ConditionType.SlotsIntact, WorkerPoolReason.SlotsViolated);
            assertThat(said.getStatus()).isEqualTo("False");
            assertThat(said.getMessage())
                    .contains(pod.getMetadata().getName())
                    .contains("WORD_BACKWARDS in slot 3: generation 7 after 9");
            Seen.until(
                    () -> new Kubelet(client).live("hostile"),
                    pods -> pods.size() == 1
                            && !pods.getFirst()
                                    .getMetadata()
                                    .getUid()
                                    .equals(pod.getMetadata().getUid()));
            worker.complain("WORD_BACKWARDS in slot 3: generation 7 after 9");
        }
        new Kubelet(client).finish("hostile");
        new Kubelet(client).allReady("hostile");
        seen.awaitPool("hostile", ConditionType.Ready, WorkerPoolReason.AllReplicasReady);
        assertThat(seen.awaitPool("hostile", ConditionType.SlotsIntact, WorkerPoolReason.SlotsViolated)
                        .getMessage())
                .as("still there for who comes later")
                .contains("slot 3");
        seen.awaitEvents("hostile", "SlotsViolated", "PodsReplaced");
        assertThat(seen.events("hostile")).containsOnlyOnce("SlotsViolated");
    }

    @Test
    void aTemplateThatReadsTheNetworkOrFitsNoMemoryMakesNoPodAndSaysWhy(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.pool("listens", 1)).create();
        seen.awaitPods("listens", 1);
        Samples.patch(
                client,
                WorkerPool.class,
                "listens",
                "\"template\":{\"spec\":{\"containers\":[{\"name\":\"worker\",\"image\":\"app:1\","
                        + "\"securityContext\":{\"capabilities\":{\"add\":[\"NET_RAW\"]}}}]}}");
        assertThat(seen.awaitPool("listens", ConditionType.Ready, WorkerPoolReason.SpecInvalid)
                        .getMessage())
                .contains("spec.template.spec.containers[worker].securityContext.capabilities.add: NET_RAW")
                .contains("rediss://");
        assertThat(new Kubelet(client).live("listens"))
                .as("what is there stays")
                .hasSize(1);
        assertThat(Seen.until(() -> seen.events("listens"), e -> e.contains("SpecInvalid")))
                .isNotEmpty();
        Samples.patch(
                client,
                WorkerPool.class,
                "listens",
                "\"slots\":{\"outputSize\":\"1Gi\"},\"template\":{\"spec\":{\"containers\":[{\"name\":\"worker\","
                        + "\"image\":\"app:1\",\"resources\":{\"limits\":{\"memory\":\"512Mi\"}}}]}}");
        seen.awaitPool(
                "listens",
                s -> Seen.condition(s.conditions(), ConditionType.Ready)
                        .getMessage()
                        .contains("resources.limits.memory 512Mi"));
        suspend(client, "listens", true);
        seen.awaitPods("listens", 0);
    }

    @Test
    void saysWhatKeepsAPodFromRunning(KubernetesClient client) {
        Seen seen = new Seen(client);
        Kubelet kubelet = new Kubelet(client);
        client.resource(Samples.pool("stuck", 1)).create();
        Pod pod = seen.awaitPods("stuck", 1).getFirst();
        kubelet.waiting(pod, "ImagePullBackOff", "Back-off pulling image \"app:1\"");
        assertThat(seen.awaitPool("stuck", ConditionType.Ready, WorkerPoolReason.ImagePullFailed)
                        .getMessage())
                .contains("container worker: image app:1 cannot be pulled");
        kubelet.waiting(pod, "CreateContainerConfigError", "container has runAsNonRoot and image will run as root");
        assertThat(seen.awaitPool("stuck", ConditionType.Ready, WorkerPoolReason.ContainerConfigInvalid)
                        .getMessage())
                .contains("runAsNonRoot");
        assertThat(Seen.until(() -> seen.events("stuck"), e -> e.contains("ContainerConfigInvalid")))
                .contains("ImagePullFailed");
    }

    @Test
    void saysWhatAPodNeedsWhoseVolumesDoNotCome(KubernetesClient client) {
        Seen seen = new Seen(client);
        Kubelet kubelet = new Kubelet(client);
        client.resource(Samples.pool("bare", 1)).create();
        Pod pod = seen.awaitPods("bare", 1).getFirst();
        kubelet.bind(pod);
        kubelet.report(
                pod,
                new PodStatusBuilder()
                        .withPhase("Pending")
                        .addNewCondition()
                        .withType("PodScheduled")
                        .withStatus("True")
                        .withLastTransitionTime(Instant.now()
                                .minusSeconds(15)
                                .truncatedTo(ChronoUnit.SECONDS)
                                .toString())
                        .endCondition()
                        .addNewCondition()
                        .withType("PodReadyToStartContainers")
                        .withStatus("False")
                        .endCondition()
                        .build());
        seen.awaitPool(
                "bare",
                s -> Seen.condition(s.conditions(), ConditionType.Ready)
                        .getMessage()
                        .contains("it needs Secret quiver-redis"));
    }

    @Test
    void suspendingDrainsAllPodsAndKeepsReplicas(KubernetesClient client) {
        Seen seen = new Seen(client);
        client.resource(Samples.pool("rests", 2)).create();
        seen.awaitPods("rests", 2);
        suspend(client, "rests", true);
        seen.awaitPods("rests", 0);
        assertThat(seen.awaitPool("rests", ConditionType.Suspended, WorkerPoolReason.Suspended)
                        .getStatus())
                .isEqualTo("True");
        assertThat(client.resources(WorkerPool.class)
                        .withName("rests")
                        .get()
                        .getSpec()
                        .replicas())
                .isEqualTo(2);
        suspend(client, "rests", false);
        seen.awaitPods("rests", 2);
    }

    @Test
    void aQuotaThatRefusesPodsIsSaidInWords(KubernetesClient client) {
        Seen seen = new Seen(client);
        quota(client, "0");
        try {
            client.resource(Samples.pool("refused", 2)).create();
            assertThat(seen.awaitPool("refused", ConditionType.Ready, WorkerPoolReason.PodsRefused)
                            .getMessage())
                    .contains("The API server refuses more")
                    .contains("exceeded quota");
        } finally {
            client.resourceQuotas().withName("quota").delete();
        }
        seen.awaitPods("refused", 2);
    }

    /** As the guide tells: that one field, and all containers of ours meet the rest. */
    @Test
    void aNamespaceThatForbidsRootTakesATemplateWithAnotherUser(KubernetesClient client) {
        enforce(client, "restricted");
        try {
            WorkerPool pool = Samples.pool("rootless", 1);
            pool.getSpec()
                    .template()
                    .getSpec()
                    .setSecurityContext(new PodSecurityContextBuilder()
                            .withRunAsNonRoot(true)
                            .build());
            client.resource(pool).create();
            new Seen(client).awaitPods("rootless", 1);
        } finally {
            enforce(client, "privileged");
        }
    }

    @Test
    void aNamespaceThatForbidsRootRefusesInWords(KubernetesClient client) {
        Seen seen = new Seen(client);
        enforce(client, "restricted");
        try {
            client.resource(Samples.pool("rootish", 1)).create();
            assertThat(seen.awaitPool("rootish", ConditionType.Ready, WorkerPoolReason.PodsRefused)
                            .getMessage())
                    .contains("runAsNonRoot");
        } finally {
            enforce(client, "privileged");
        }
    }

    @Test
    void deletingAPoolWaitsForItsPods(KubernetesClient client) {
        Seen seen = new Seen(client);
        Kubelet kubelet = new Kubelet(client);
        client.resource(Samples.pool("goes", 2)).create();
        seen.awaitPods("goes", 2);
        kubelet.allReady("goes");
        client.resources(WorkerPool.class).withName("goes").delete();
        Seen.until(() -> kubelet.live("goes"), List::isEmpty);
        assertThat(client.resources(WorkerPool.class).withName("goes").get()).isNotNull();
        kubelet.finish("goes");
        Seen.gone(() -> client.resources(WorkerPool.class).withName("goes").get());
    }

    private static void suspend(KubernetesClient client, String name, boolean suspend) {
        Samples.patch(client, WorkerPool.class, name, "\"suspend\":" + suspend);
    }

    /** No controller computes the status of a quota here, so the test does. */
    private static void quota(KubernetesClient client, String pods) {
        var quota = new ResourceQuotaBuilder()
                .withNewMetadata()
                .withName("quota")
                .endMetadata()
                .withNewSpec()
                .addToHard("pods", new Quantity(pods))
                .endSpec()
                .build();
        client.resource(quota).create();
        client.resourceQuotas()
                .withName("quota")
                .editStatus(q -> new ResourceQuotaBuilder(q)
                        .withNewStatus()
                        .addToHard("pods", new Quantity(pods))
                        .addToUsed("pods", new Quantity("0"))
                        .endStatus()
                        .build());
    }

    private static void enforce(KubernetesClient client, String level) {
        client.namespaces()
                .withName(client.getNamespace())
                .edit(n -> new NamespaceBuilder(n)
                        .editMetadata()
                        .addToLabels(Map.of("pod-security.kubernetes.io/enforce", level))
                        .endMetadata()
                        .build());
    }

    private static long count(List<Pod> pods, String hash) {
        return pods.stream()
                .filter(p -> hash.equals(p.getMetadata().getLabels().get(Quiver.TEMPLATE_HASH_LABEL)))
                .count();
    }

    private static Set<String> names(List<Pod> pods) {
        return pods.stream().map(p -> p.getMetadata().getName()).collect(Collectors.toSet());
    }
}
