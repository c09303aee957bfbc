package dev.quiver.bench.autoscale;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.readiness.Readiness;

import dev.quiver.bench.Bench;
import dev.quiver.bench.Figure;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.Table;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.kube.Cluster;
import dev.quiver.bench.kube.TaskSetRun;

/** A burst of tasks of one second on a pool at zero, on a cluster. */
public final class BurstBench implements Bench {

    private static final String NAMESPACE = "quiver-bench-burst";
    private static final Duration PATIENCE = Duration.ofMinutes(8);
    private static final int SLOTS = 16;
    private static final int MOST = 4;
    private static final int COOL_DOWN = 5;
    private static final String POOL = """
            apiVersion: quiver.dev/v1alpha1
            kind: WorkerPool
            metadata: {name: elastic, namespace: %s}
            spec:
              replicas: 0
              autoscaling: {maxReplicas: %d, targetSeconds: 10, coolDownSeconds: %d}
              slots: {count: %d, inputSize: 16Ki, outputSize: 16Ki}
              template:
                spec:
                  containers:
                    - name: worker
                      image: docker.io/quiver/demo:0.1.0
                      resources: {requests: {cpu: 100m, memory: 256Mi}}
            """.formatted(NAMESPACE, MOST, COOL_DOWN, SLOTS);
    private static final String SET = """
            apiVersion: quiver.dev/v1alpha1
            kind: TaskSet
            metadata: {name: burst-%d, namespace: %s}
            spec:
              replicas: 1000
              workerPoolRef: {name: elastic}
              source: {count: %d}
              maxTrials: 1
              task: {command: [sleep, '1']}
            """;

    @Override
    public String name() {
        return "autoscale-burst";
    }

    @Override
    public String question() {
        return "tasks of 1 s on a pool at zero: first pod, first task, pods made, back to zero (aim: first task 2 s after its pod)";
    }

    /** The moments of a burst, in seconds since the set was created; negative while they have not come. */
    private static final class Moments {
        private final long from = System.nanoTime();
        private final Set<String> pods = new HashSet<>();
        private double firstPod = -1;
        private double firstReady = -1;
        private double lastReady = -1;

        double now() {
            return (System.nanoTime() - from) / 1e9;
        }

        void look(KubernetesClient client) {
            List<Pod> there = client.pods().inNamespace(NAMESPACE).list().getItems();
            boolean more = there.stream()
                    .filter(Readiness::isPodReady)
                    .map(pod -> pod.getMetadata().getUid())
                    .map(pods::add)
                    .reduce(false, Boolean::logicalOr);
            firstPod = firstPod < 0 && !there.isEmpty() ? now() : firstPod;
            firstReady = firstReady < 0 && more ? now() : firstReady;
            lastReady = more ? now() : lastReady;
        }
    }

    @Override
    public Report run(Lab lab) throws Exception {
        int tasks = lab.pace().commands() / 10;
        List<String> text = new ArrayList<>();
        List<Figure> figures = new ArrayList<>();
        try (Cluster cluster = Cluster.open(lab)) {
            KubernetesClient client = cluster.client();
            client.resource(new NamespaceBuilder()
                            .withNewMetadata()
                            .withName(NAMESPACE)
                            .endMetadata()
                            .build())
                    .serverSideApply();
            client.resource(POOL).serverSideApply();
            text.add(cluster.described());
            text.add("%,d tasks of 1 s on a pool of at most %d pods with %d slots, targetSeconds 10, coolDownSeconds %d"
                    .formatted(tasks, MOST, SLOTS, COOL_DOWN));
            Table table = new Table("seconds since the set was made", "value");
            for (int round = 0; round < lab.pace().rounds(); round++) {
                burst(client, round, tasks, table, figures);
            }
            text.add(table.toString());
            client.namespaces().withName(NAMESPACE).delete();
            client.namespaces().withName(NAMESPACE).waitUntilCondition(it -> it == null, 120, TimeUnit.SECONDS);
        }
        return new Report(text, figures);
    }

    private void burst(KubernetesClient client, int round, int tasks, Table table, List<Figure> figures)
            throws Exception {
        String yaml = SET.formatted(round, NAMESPACE, tasks);
        Moments moments = new Moments();
        TaskSetRun.Outcome outcome = TaskSetRun.toEnd(client, yaml, PATIENCE, () -> moments.look(client));
        double end = outcome.time().toNanos() / 1e9;
        if (outcome.count("succeeded") != tasks || outcome.count("trials") != tasks) {
            throw new IllegalStateException("tasks were cut off: " + outcome.status());
        }
        Waiting.await(
                "no pod",
                PATIENCE,
                () -> client.pods().inNamespace(NAMESPACE).list().getItems().stream()
                        .allMatch(pod -> pod.getMetadata().getDeletionTimestamp() != null));
        double zero = moments.now();
        double ideal = tasks / (double) (MOST * SLOTS);
        table.row("first pod is made", shown(moments.firstPod))
                .row("first pod is ready", shown(moments.firstReady))
                .row("last pod is ready", shown(moments.lastReady))
                .row("all tasks have ended", shown(end))
                .row("no pod is left", shown(zero))
                .row("pods that were ready", "" + moments.pods.size());
        figures.add(Figure.of(name(), "first pod is made, round " + round, moments.firstPod, "s"));
        figures.add(Figure.of(
                name(),
                "last pod ready to end, round " + round,
                end - moments.lastReady,
                "s",
                "all slots busy",
                ideal));
        figures.add(Figure.of(name(), "end to zero, round " + round, zero - end, "s", "cool-down", COOL_DOWN));
        TaskSetRun.remove(client, yaml, PATIENCE);
    }

    private static String shown(double seconds) {
        return String.format(Locale.ROOT, "%.1f", seconds);
    }
}
