package dev.quiver.bench.scale;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;

import dev.quiver.bench.Lab;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.kube.ApiServer;
import dev.quiver.bench.kube.RequestCount;
import dev.quiver.bench.kube.TaskSetRun;
import dev.quiver.bench.process.Program;
import dev.quiver.bench.quiver.NoopExecutor;
import dev.quiver.bench.quiver.Worker;
import dev.quiver.bench.redis.RedisServer;

/**
 * One pool with one worker pod, made by the operator and played by this machine. There is no kubelet here, so the pod's
 * supervisor and executor are processes beside the API server, under its name and uid.
 */
final class ScaleRun implements Closeable {

    private static final String NAMESPACE = "scale";
    private static final Duration PATIENCE = Duration.ofSeconds(150);
    private static final String[] ASKED = {
        "tasksets", "workerpools", "pods", "events", "configmaps", "secrets", "namespaces"
    };
    /** This class's own requests for those resources while it measures: the creation. A watch counts when it ends. */
    private static final int OWN_REQUESTS = 1;

    private static final String POOL = """
            apiVersion: quiver.dev/v1alpha1
            kind: WorkerPool
            metadata: {name: workers, namespace: scale}
            spec:
              replicas: 1
              slots: {count: %d, inputSize: 4Ki, outputSize: 4Ki}
              template: {spec: {containers: [{name: worker, image: noop}]}}
            """;
    private static final String SET = """
            apiVersion: quiver.dev/v1alpha1
            kind: TaskSet
            metadata: {name: %s, namespace: scale}
            spec:
              replicas: 1
              workerPoolRef: {name: workers}
              source: {count: %d}
              task: {command: [noop]}
            """;

    private final ApiServer api;
    private final RedisServer redis;
    private final Worker worker;
    private int runs;

    private ScaleRun(ApiServer api, RedisServer redis, Worker worker) {
        this.api = api;
        this.redis = redis;
        this.worker = worker;
    }

    /** Makes the pool and starts its worker. */
    static ScaleRun prepare(Lab lab, ApiServer api, RedisServer redis, int slots) throws Exception {
        KubernetesClient client = api.client();
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(NAMESPACE)
                        .endMetadata()
                        .build())
                .create();
        String poolUid =
                client.resource(POOL.formatted(slots)).create().getMetadata().getUid();
        Waiting.await("the pool's pod", PATIENCE, () -> !pods(client).isEmpty());
        Pod pod = pods(client).getFirst();
        Worker.Post post = new Worker.Post(
                NAMESPACE,
                "workers",
                poolUid,
                pod.getMetadata().getName(),
                pod.getMetadata().getUid(),
                slots);
        Worker worker = Worker.start(
                lab,
                Program.supervisor(lab),
                post,
                redis.port(),
                NoopExecutor.with(lab, Map.of("QUIVER_BENCH_EXECUTOR", "one")));
        return new ScaleRun(api, redis, worker);
    }

    private static List<Pod> pods(KubernetesClient client) {
        return client.pods().inNamespace(NAMESPACE).list().getItems();
    }

    /** Runs so many tasks to their end and deletes the set. */
    Cost measure(int tasks) throws Exception {
        String yaml = SET.formatted("run-" + runs++, tasks);
        long redisBefore = redis.info("memory", "used_memory");
        AtomicLong redisMost = new AtomicLong(redisBefore);
        RequestCount before = api.requests();
        try {
            TaskSetRun.Outcome outcome = TaskSetRun.toEnd(
                    api.client(),
                    yaml,
                    PATIENCE,
                    () -> redisMost.accumulateAndGet(redis.info("memory", "used_memory"), Math::max));
            RequestCount after = api.requests();
            if (outcome.count("succeeded") != tasks) {
                throw new IllegalStateException("not all of " + tasks + " tasks passed: " + outcome.status());
            }
            return new Cost(
                    tasks,
                    outcome.time(),
                    after.since(before, ASKED) - OWN_REQUESTS,
                    outcome.mostBytes(),
                    redisMost.get() - redisBefore,
                    redis.info("memory", "used_memory") - redisBefore);
        } finally {
            TaskSetRun.remove(api.client(), yaml, PATIENCE);
        }
    }

    @Override
    public void close() throws IOException {
        worker.close();
    }
}
