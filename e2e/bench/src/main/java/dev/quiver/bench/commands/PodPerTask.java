package dev.quiver.bench.commands;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;

import dev.quiver.bench.Waiting;

/**
 * The means of Kubernetes itself: a Job whose every completion is a pod. The Job is counted while it runs, then
 * deleted.
 */
final class PodPerTask {

    static final Duration WARM_UP = Duration.ofSeconds(8);
    static final Duration WINDOW = Duration.ofSeconds(25);

    private static final String JOB = """
            apiVersion: batch/v1
            kind: Job
            metadata: {name: pods, namespace: %s}
            spec:
              completions: 100000
              parallelism: %d
              backoffLimit: 100000
              template:
                spec:
                  restartPolicy: Never
                  terminationGracePeriodSeconds: 0
                  containers: [{name: task, image: %s, command: %s}]
            """;

    private PodPerTask() {}

    /** Succeeded pods a second, after the start. */
    static double perSecond(KubernetesClient client, List<String> command, int parallelism) throws Exception {
        Job job = client.resource(Serialization.unmarshal(
                        JOB.formatted(
                                WarmPool.NAMESPACE, parallelism, CommandsBench.IMAGE, Serialization.asJson(command)),
                        Job.class))
                .create();
        try {
            Waiting.letPass(WARM_UP);
            long from = System.nanoTime();
            long before = succeeded(client, job);
            Waiting.letPass(WINDOW);
            long done = succeeded(client, job) - before;
            return done * 1e9 / (System.nanoTime() - from);
        } finally {
            client.resource(job)
                    .withPropagationPolicy(DeletionPropagation.FOREGROUND)
                    .delete();
            client.resource(job).waitUntilCondition(it -> it == null, 3, TimeUnit.MINUTES);
        }
    }

    /** Succeeded pods, including those that the Job has not counted yet. */
    private static long succeeded(KubernetesClient client, Job job) {
        JobStatus status = client.resource(job).get().getStatus();
        long counted = status.getSucceeded() == null ? 0 : status.getSucceeded();
        long uncounted = status.getUncountedTerminatedPods() == null
                ? 0
                : status.getUncountedTerminatedPods().getSucceeded().size();
        return counted + uncounted;
    }
}
