package dev.quiver.controller.rig;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

import io.fabric8.kubernetes.api.model.BindingBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

import dev.quiver.crds.v1alpha1.Quiver;

/**
 * Does to pods what a kubelet and a scheduler would, when a test says so: there is neither beside a bare API server.
 *
 * @param client asks the API server
 */
public record Kubelet(KubernetesClient client) {

    /** The pods of a pool that are there, terminating ones too. */
    public List<Pod> pods(String pool) {
        return client.pods().withLabel(Quiver.POOL_LABEL, pool).list().getItems();
    }

    /** Those that are not terminating. */
    public List<Pod> live(String pool) {
        return pods(pool).stream()
                .filter(p -> p.getMetadata().getDeletionTimestamp() == null)
                .toList();
    }

    /** Puts it on a node: from now on deleting it is graceful. */
    public void bind(Pod pod) {
        if (pod.getSpec().getNodeName() == null) {
            client.raw(
                    "/api/v1/namespaces/" + pod.getMetadata().getNamespace() + "/pods/"
                            + pod.getMetadata().getName() + "/binding",
                    "POST",
                    new BindingBuilder()
                            .withNewMetadata()
                            .withName(pod.getMetadata().getName())
                            .endMetadata()
                            .withNewTarget()
                            .withKind("Node")
                            .withName("node-1")
                            .endTarget()
                            .build());
        }
    }

    /** Binds it and makes it ready. */
    public void ready(Pod pod) {
        bind(pod);
        report(
                pod,
                new PodStatusBuilder()
                        .withPhase("Running")
                        .addNewCondition()
                        .withType("Ready")
                        .withStatus("True")
                        .withLastTransitionTime(now())
                        .endCondition()
                        .build());
    }

    /** All pods of a pool. */
    public void allReady(String pool) {
        live(pool).forEach(this::ready);
    }

    /** Its worker container cannot start, for that reason. */
    public void waiting(Pod pod, String reason, String message) {
        report(
                pod,
                new PodStatusBuilder()
                        .withPhase("Pending")
                        .addNewContainerStatus()
                        .withName("worker")
                        .withImage("app:1")
                        .withImageID("")
                        .withReady(false)
                        .withRestartCount(0)
                        .withNewState()
                        .withNewWaiting()
                        .withReason(reason)
                        .withMessage(message)
                        .endWaiting()
                        .endState()
                        .endContainerStatus()
                        .build());
    }

    /** It failed as a whole. */
    public void failed(Pod pod, String reason, String message) {
        report(
                pod,
                new PodStatusBuilder()
                        .withPhase("Failed")
                        .withReason(reason)
                        .withMessage(message)
                        .build());
    }

    /** Ends terminating pods at once, as a kubelet does when their containers are gone. */
    public void finish(String pool) {
        pods(pool).stream()
                .filter(p -> p.getMetadata().getDeletionTimestamp() != null)
                .forEach(p -> client.resource(p).withGracePeriod(0).delete());
    }

    /** A status as a kubelet writes it. */
    public void report(Pod pod, PodStatus status) {
        client.resource(new PodBuilder(pod)
                        .editMetadata()
                        .withManagedFields()
                        .withResourceVersion(null)
                        .endMetadata()
                        .withStatus(status)
                        .build())
                .updateStatus();
    }

    private static String now() {
        return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
