package dev.quiver.bench.kube;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.utils.Serialization;

/**
 * A TaskSet from its creation to {@code Finished}, followed by one watch, without further requests to the API server.
 */
public final class TaskSetRun {

    private TaskSetRun() {}

    /**
     * The result.
     *
     * @param time from the call that created the set to the watch's event of its end
     * @param mostBytes the largest version of the resource, as JSON
     * @param status the last one
     */
    public record Outcome(Duration time, long mostBytes, Map<String, Object> status) {

        /** A counter of the status; 0 when it is not there. */
        public long count(String field) {
            return status.get(field) instanceof Number number ? number.longValue() : 0;
        }
    }

    /**
     * Creates a TaskSet and waits for its end.
     *
     * @param meanwhile called about every 50 ms
     * @throws TimeoutException with the last status, when it does not finish
     */
    public static Outcome toEnd(KubernetesClient client, String yaml, Duration patience, Runnable meanwhile)
            throws Exception {
        GenericKubernetesResource set = Serialization.unmarshal(yaml, GenericKubernetesResource.class);
        Follower follower = new Follower(new AtomicLong(), new AtomicReference<>(Map.of()), new CountDownLatch(1));
        Watch watch = resource(client, set).watch(follower);
        try {
            long from = System.nanoTime();
            client.resource(yaml).create();
            while (!follower.finished.await(50, TimeUnit.MILLISECONDS)) {
                meanwhile.run();
                if (System.nanoTime() - from > patience.toNanos()) {
                    throw new TimeoutException(
                            set.getMetadata().getName() + " did not finish: " + follower.status.get());
                }
            }
            return new Outcome(
                    Duration.ofNanos(System.nanoTime() - from), follower.mostBytes.get(), follower.status.get());
        } finally {
            watch.close();
        }
    }

    /** Deletes the set and waits until nothing of it is left. */
    public static void remove(KubernetesClient client, String yaml, Duration patience) {
        Resource<GenericKubernetesResource> resource =
                resource(client, Serialization.unmarshal(yaml, GenericKubernetesResource.class));
        resource.delete();
        resource.waitUntilCondition(it -> it == null, patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static Resource<GenericKubernetesResource> resource(
            KubernetesClient client, GenericKubernetesResource set) {
        MixedOperation<GenericKubernetesResource, GenericKubernetesResourceList, Resource<GenericKubernetesResource>>
                sets = client.genericKubernetesResources(Kinds.TASK_SETS);
        return sets.inNamespace(set.getMetadata().getNamespace())
                .withName(set.getMetadata().getName());
    }

    private record Follower(AtomicLong mostBytes, AtomicReference<Map<String, Object>> status, CountDownLatch finished)
            implements Watcher<GenericKubernetesResource> {

        @Override
        public void eventReceived(Action action, GenericKubernetesResource set) {
            byte[] json = Serialization.asJson(set).getBytes(StandardCharsets.UTF_8);
            mostBytes.accumulateAndGet(json.length, Math::max);
            Map<String, Object> said = set.get("status");
            if (said != null) {
                status.set(said);
            }
            List<Map<String, Object>> conditions = set.get("status", "conditions");
            if (conditions != null
                    && conditions.stream()
                            .anyMatch(it -> "Finished".equals(it.get("type")) && "True".equals(it.get("status")))) {
                finished.countDown();
            }
        }

        @Override
        public void onClose(WatcherException cause) {
            // The wait ends by its own patience.
        }
    }
}
