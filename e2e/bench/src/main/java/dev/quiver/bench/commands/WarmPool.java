package dev.quiver.bench.commands;

import java.io.Closeable;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.utils.Serialization;

import dev.quiver.bench.kube.TaskSetRun;

/** Worker pods that are ready before the first task is. */
final class WarmPool implements Closeable {

    static final String NAMESPACE = "quiver-bench";
    static final String IMAGE = "docker.io/quiver/demo:0.1.0";

    private static final int PODS = 2;
    private static final int SLOTS = 16;
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Duration LONGEST_RUN = Duration.ofMinutes(6);
    /** Enough for every class of the supervisor to be loaded and its paths compiled. */
    private static final int WARM_UP_TASKS = 2_000;

    private static final String POOL = """
            apiVersion: quiver.dev/v1alpha1
            kind: WorkerPool
            metadata: {name: warm, namespace: %s}
            spec:
              replicas: %d
              slots: {count: %d, inputSize: 16Ki, outputSize: 16Ki}
              drainSeconds: 0
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
              task: {command: %s}
            """;

    private final KubernetesClient client;
    private int runs;

    private WarmPool(KubernetesClient client) {
        this.client = client;
    }

    /** Makes the pool, waits until its pods are ready, and lets them run something. */
    static WarmPool open(KubernetesClient client) throws Exception {
        WarmPool pool = new WarmPool(client);
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(NAMESPACE)
                        .endMetadata()
                        .build())
                .serverSideApply();
        client.resource(POOL.formatted(NAMESPACE, PODS, SLOTS, IMAGE)).serverSideApply();
        client.genericKubernetesResources(new ResourceDefinitionContext.Builder()
                        .withGroup("quiver.dev")
                        .withVersion("v1alpha1")
                        .withKind("WorkerPool")
                        .withPlural("workerpools")
                        .withNamespaced(true)
                        .build())
                .inNamespace(NAMESPACE)
                .withName("warm")
                .waitUntilCondition(WarmPool::ready, PATIENCE.toSeconds(), TimeUnit.SECONDS);
        pool.run(List.of("/bin/true"), WARM_UP_TASKS);
        return pool;
    }

    private static boolean ready(GenericKubernetesResource pool) {
        return pool != null && pool.get("status", "readyReplicas") instanceof Number ready && ready.intValue() == PODS;
    }

    /** Tasks at a time, over all pods. */
    int slots() {
        return PODS * SLOTS;
    }

    String described() {
        return PODS + " warm worker pods of " + SLOTS + " slots";
    }

    /** Runs so many of one command to the end; none may fail. */
    Duration run(List<String> command, int tasks) throws Exception {
        String yaml = SET.formatted(runs++, NAMESPACE, PODS, tasks, Serialization.asJson(command));
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

    /** Removes the namespace with all that is in it. */
    @Override
    public void close() {
        client.namespaces().withName(NAMESPACE).delete();
        client.namespaces().withName(NAMESPACE).waitUntilCondition(it -> it == null, 120, TimeUnit.SECONDS);
    }
}
