package dev.quiver.bench.scale;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;

import dev.quiver.bench.Aims;
import dev.quiver.bench.Bench;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.kube.ApiServer;
import dev.quiver.bench.kube.Kinds;
import dev.quiver.bench.kube.Operator;
import dev.quiver.bench.kube.RequestCount;
import dev.quiver.bench.process.ProcessMemory;
import dev.quiver.bench.redis.RedisServer;

/** One pool of many pods: how soon all are ready, whether the columns follow, and what they cost once they idle. */
public final class PodsBench implements Bench {

    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final double READY_AIM = 30; // seconds
    private static final double MEMORY_AIM = 256; // MiB
    private static final int SETTLES_OF_QUIET = 8;

    private static final String POOL = """
            apiVersion: quiver.dev/v1alpha1
            kind: WorkerPool
            metadata: {name: workers, namespace: default}
            spec:
              replicas: %d
              template: {spec: {containers: [{name: worker, image: noop}]}}
            """;

    @Override
    public String name() {
        return "scale-pods";
    }

    @Override
    public String question() {
        return "operator's delays, processor time and memory with one pool of many pods";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        int number = lab.pace().commands() / 10;
        Aims aims = new Aims(name());
        List<String> text = new ArrayList<>();
        try (RedisServer redis = RedisServer.start(lab);
                ApiServer api = ApiServer.start();
                Operator operator = Operator.start(
                        lab, Operator.trained(lab, api.kubeconfig(), redis.port()), api.kubeconfig(), redis.port())) {
            text.add(redis.described());
            text.add(
                    "real API server and etcd, real operator; %,d pods of one pool; this process plays kubelets and supervisors:"
                                    .formatted(number)
                            + " each pod is ready and in Redis as soon as it is seen, and has a heartbeat each "
                            + PlayedPods.HEARTBEAT.toSeconds() + " s");
            String uid = api.client()
                    .resource(POOL.formatted(number))
                    .create()
                    .getMetadata()
                    .getUid();
            long from = System.nanoTime();
            try (PlayedPods pods = PlayedPods.of(api.client(), redis.port(), uid)) {
                double columnMoved = 0;
                while (pods.played() < number || ready(api.client()) < number) {
                    if (columnMoved == 0 && ready(api.client()) > 0) {
                        columnMoved = seconds(from);
                    }
                    if (seconds(from) > PATIENCE.toSeconds()) {
                        throw new IllegalStateException(
                                ready(api.client()) + " of " + pods.played() + " pods are ready");
                    }
                    Waiting.letPass(Duration.ofMillis(500));
                }
                double allReady = seconds(from);
                columnMoved = columnMoved == 0 ? allReady : columnMoved; // from none to all between two looks
                aims.add("column READY above 0 after", columnMoved, "s");
                aims.add("pods ready and in Redis after", pods.allAfter(from), "s");
                aims.add("column READY complete after", allReady, "s", READY_AIM);
                Duration settle = lab.pace().settle();
                Waiting.letPass(settle);
                RequestCount before = api.requests();
                double ofOperator = ProcessMemory.cpuSeconds(operator.process().pid());
                long quiet = System.nanoTime();
                Waiting.letPass(settle.multipliedBy(SETTLES_OF_QUIET));
                double span = seconds(quiet);
                aims.add(
                        "operator while they idle",
                        (ProcessMemory.cpuSeconds(operator.process().pid()) - ofOperator) * 100 / span,
                        "% of a core");
                aims.add(
                        "requests to the API server",
                        api.requests().since(before, "workerpools", "pods", "events", "configmaps", "secrets") / span,
                        "a second");
                aims.add(
                        "operator's memory",
                        ProcessMemory.pssMiB(operator.process().pid()),
                        "MiB",
                        MEMORY_AIM);
            }
        }
        text.add(aims.table());
        return new Report(text, aims.figures());
    }

    private static int ready(KubernetesClient client) {
        GenericKubernetesResource pool = client.genericKubernetesResources(Kinds.POOLS)
                .inNamespace("default")
                .withName("workers")
                .get();
        return pool.get("status", "readyReplicas") instanceof Number number ? number.intValue() : 0;
    }

    private static double seconds(long fromNanos) {
        return (System.nanoTime() - fromNanos) / (double) TimeUnit.SECONDS.toNanos(1);
    }
}
