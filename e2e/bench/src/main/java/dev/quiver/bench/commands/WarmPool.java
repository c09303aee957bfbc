package dev.quiver.bench.commands;

import java.io.Closeable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.utils.Serialization;

import dev.quiver.bench.kube.TaskSetRun;

/** Worker pods that are ready before the first task. */
final class WarmPool implements Closeable {

    static final String NAMESPACE = "quiver-bench";
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Duration LONGEST_RUN = Duration.ofMinutes(6);

    private static final String POOL = """
            apiVersion: quiver.dev/v1alpha1
            kind: WorkerPool
            metadata: {name: warm, namespace: %s}
            spec:
              replicas: %d
              slots: {count: %d, inputSize: 16Ki, outputSize: 16Ki}
              drainSeconds: 0
              %s
              template:
                spec:
                  containers:
                    - name: worker
                      image: %s
                      resources: {requests: {cpu: 100m, memory: 256Mi}}
            """;
    private static final String SET = """
            apiVersion: quiver.dev/v1alpha1
            kind: TaskSet
            metadata: {name: run-%d, namespace: %s}
            spec:
              replicas: %d
              workerPoolRef: {name: warm}
              source: {count: %d}
              task: %s
            """;

    /**
     * The parts of the pool.
     *
     * @param image of its worker container
     * @param pods number of pods
     * @param slots of each pod
     * @param handler its command; empty for none
     */
    record Shape(String image, int pods, int slots, List<String> handler) {}

    private final KubernetesClient client;
    private final Shape shape;
    private int runs;

    private WarmPool(KubernetesClient client, Shape shape) {
        this.client = client;
        this.shape = shape;
    }

    /** Makes the pool and waits until its pods are ready. */
    static WarmPool open(KubernetesClient client, Shape shape) {
        WarmPool pool = new WarmPool(client, shape);
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(NAMESPACE)
                        .endMetadata()
                        .build())
                .serverSideApply();
        String handler = shape.handler().isEmpty()
                ? ""
                : "handler: {command: %s}".formatted(Serialization.asJson(shape.handler()));
        client.resource(POOL.formatted(NAMESPACE, shape.pods(), shape.slots(), handler, shape.image()))
                .serverSideApply();
        client.genericKubernetesResources(new ResourceDefinitionContext.Builder()
                        .withGroup("quiver.dev")
                        .withVersion("v1alpha1")
                        .withKind("WorkerPool")
                        .withPlural("workerpools")
                        .withNamespaced(true)
                        .build())
                .inNamespace(NAMESPACE)
                .withName("warm")
                .waitUntilCondition(pool::ready, PATIENCE.toSeconds(), TimeUnit.SECONDS);
        return pool;
    }

    private boolean ready(GenericKubernetesResource pool) {
        return pool != null
                && pool.get("status", "readyReplicas") instanceof Number ready
                && ready.intValue() == shape.pods();
    }

    /** Tasks at a time, over all pods. */
    int slots() {
        return shape.pods() * shape.slots();
    }

    String described() {
        return "%d warm worker pods of %d slots".formatted(shape.pods(), shape.slots());
    }

    /** Runs so many tasks to the end; none may fail. {@code task} is that field of a TaskSet. */
    Duration run(Map<String, Object> task, int tasks) throws Exception {
        String yaml = SET.formatted(runs++, NAMESPACE, shape.pods(), tasks, Serialization.asJson(task));
        try {
            TaskSetRun.Outcome outcome = TaskSetRun.toEnd(client, yaml, LONGEST_RUN, () -> {});
            if (outcome.count("succeeded") != tasks) {
                throw new IllegalStateException("not all of " + tasks + " tasks passed: " + outcome.status());
            }
            return outcome.time();
        } finally {
            TaskSetRun.remove(client, yaml, PATIENCE);
        }
    }

    /** Removes the namespace with everything in it. */
    @Override
    public void close() {
        client.namespaces().withName(NAMESPACE).delete();
        client.namespaces().withName(NAMESPACE).waitUntilCondition(it -> it == null, 120, TimeUnit.SECONDS);
    }
}
