package dev.quiver.bench.footprint;

import io.fabric8.kubernetes.client.KubernetesClient;

import dev.quiver.bench.Lab;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.kube.ApiServer;
import dev.quiver.bench.kube.Operator;
import dev.quiver.bench.process.ProcessMemory;
import dev.quiver.bench.process.Program;
import dev.quiver.bench.redis.RedisServer;

/** The operator without work, then with many running TaskSets whose status it keeps. */
final class OperatorFootprint {

    private static final int SETS = 200;
    private static final String OBJECTS = """
            apiVersion: quiver.dev/v1alpha1
            kind: WorkerPool
            metadata: {name: workers, namespace: default}
            spec:
              replicas: 3
              template: {spec: {containers: [{name: worker, image: noop}]}}
            """;
    private static final String SET = """
            apiVersion: quiver.dev/v1alpha1
            kind: TaskSet
            metadata: {name: set-%d, namespace: default}
            spec:
              replicas: 1
              workerPoolRef: {name: workers}
              source: {count: 1000}
              task: {command: [noop]}
            """;

    private final Lab lab;
    private final RedisServer redis;

    OperatorFootprint(Lab lab, RedisServer redis) {
        this.lab = lab;
        this.redis = redis;
    }

    void measure(FootprintBench.Sink sink) throws Exception {
        try (ApiServer api = ApiServer.start()) {
            Program program = Operator.trained(lab, api.kubeconfig(), redis.port());
            for (int round = 0; round < lab.pace().rounds(); round++) {
                try (Operator operator = Operator.start(lab, program, api.kubeconfig(), redis.port())) {
                    sink.add(
                            "operator processor time to ready",
                            ProcessMemory.cpuSeconds(operator.process().pid()),
                            "s");
                    sink.add("operator ready", operator.toReady().toMillis() / 1e3, "s");
                    if (round + 1 == lab.pace().rounds()) {
                        memory(api.client(), operator.process().pid(), sink);
                    }
                }
            }
        }
    }

    private void memory(KubernetesClient client, long pid, FootprintBench.Sink sink) throws Exception {
        Waiting.letPass(lab.pace().settle());
        sink.add("operator PSS idle", ProcessMemory.pssMiB(pid), "MiB");
        client.resource(OBJECTS).create();
        for (int i = 0; i < SETS; i++) {
            client.resource(SET.formatted(i)).create();
        }
        sink.add("operator PSS loaded", SupervisorFootprint.mostPss(pid, lab.pace()), "MiB");
    }
}
