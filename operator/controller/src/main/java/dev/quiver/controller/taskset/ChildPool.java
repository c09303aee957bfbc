package dev.quiver.controller.taskset;

import java.net.HttpURLConnection;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;

import dev.quiver.controller.kube.ApiRefusal;
import dev.quiver.controller.kube.PreconditionedDelete;
import dev.quiver.crds.v1alpha1.Quiver;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.crds.v1alpha1.WorkerTemplate;

/**
 * The pool that a TaskSet creates for itself. Only {@code replicas} and {@code suspend} can differ later: the template
 * of a TaskSet cannot be changed. Idempotent.
 */
record ChildPool(KubernetesClient client) {

    /** The wanted pool. Pure. */
    static WorkerPool desired(TaskSet set, WorkerTemplate template) {
        WorkerPool pool = new WorkerPool();
        pool.setMetadata(new ObjectMetaBuilder()
                .withName(set.poolName())
                .withNamespace(set.getMetadata().getNamespace())
                .addToLabels(Quiver.MANAGED_BY_LABEL, Quiver.MANAGED_BY)
                .addNewOwnerReference()
                .withApiVersion(set.getApiVersion())
                .withKind(set.getKind())
                .withName(set.getMetadata().getName())
                .withUid(set.getMetadata().getUid())
                .withController(true)
                .withBlockOwnerDeletion(true)
                .endOwnerReference()
                .build());
        pool.setSpec(WorkerPoolSpecBuilder.builder()
                .replicas(set.getSpec().replicas())
                .suspend(set.getSpec().suspend())
                .slots(template.slots())
                .template(template.template())
                .handler(template.handler())
                .supervisor(template.supervisor())
                .drainSeconds(template.drainSeconds())
                .build());
        return pool;
    }

    /**
     * Makes the pool, or updates it to the run's replicas and suspend.
     *
     * @return the API server's message when quota, a policy or validation refuses; any other failure is thrown
     */
    Optional<String> follow(TaskSet set, WorkerTemplate template, Optional<WorkerPool> present) {
        try {
            present.ifPresentOrElse(pool -> adapt(set, pool), () -> create(desired(set, template)));
            return Optional.empty();
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
                // Exists: the informer has yet to see it, or it has another owner, which the next reconcile shows.
                return Optional.empty();
            }
            return Optional.of(ApiRefusal.of(e).map(ApiRefusal::message).orElseThrow(() -> e));
        }
    }

    private void adapt(TaskSet set, WorkerPool pool) {
        boolean same = pool.getSpec().replicas().equals(set.getSpec().replicas())
                && pool.getSpec().suspend().equals(set.getSpec().suspend());
        if (!same && !pool.isMarkedForDeletion()) {
            client.resources(WorkerPool.class)
                    .inNamespace(set.getMetadata().getNamespace())
                    .withName(set.poolName())
                    .patch(
                            PatchContext.of(PatchType.JSON_MERGE),
                            "{\"spec\":{\"replicas\":" + set.getSpec().replicas() + ",\"suspend\":"
                                    + set.getSpec().suspend() + "}}");
        }
    }

    /** Deletes exactly this pool; its own finalizer drains its pods. */
    void remove(WorkerPool pool) {
        if (!pool.isMarkedForDeletion()) {
            new PreconditionedDelete(client).of(pool);
        }
    }

    private void create(WorkerPool desired) {
        client.resource(desired).create();
    }
}
