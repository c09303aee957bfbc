package dev.quiver.bench.scale;

import java.io.Closeable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;

import dev.quiver.bench.quiver.Headquarters;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.worker.WorkerIdentity;
import dev.quiver.lifecycle.worker.WorkerSession;
import dev.quiver.lifecycle.worker.WorkerSessions;
import dev.quiver.lifecycle.worker.WorkerState;

/** The kubelets and the supervisors of a pool's pods: each pod is ready at once and tells Redis so, and none does work. */
final class PlayedPods implements Watcher<Pod>, Closeable {

    /** Between two heartbeats of a pod. */
    static final Duration HEARTBEAT = Duration.ofSeconds(3);

    private static final int HANDS = 4;

    private final KubernetesClient client;
    private final String poolUid;
    private final RedisStore store;
    private final WorkerSessions sessions;
    private final Map<String, WorkerSession> playing = new ConcurrentHashMap<>();
    private final ExecutorService hands = Executors.newFixedThreadPool(HANDS);
    private final ScheduledExecutorService hearts = Executors.newSingleThreadScheduledExecutor();
    private final Watch watch;
    private final AtomicReference<RuntimeException> failure = new AtomicReference<>();
    private volatile long lastNanos;

    private PlayedPods(KubernetesClient client, int redisPort, String poolUid) {
        this.client = client;
        this.poolUid = poolUid;
        store = Headquarters.connected(redisPort, "pods");
        sessions = new Lifecycle(store).sessions(Keyspace.ofNamespace("default"));
        hearts.scheduleWithFixedDelay(this::beat, HEARTBEAT.toMillis(), HEARTBEAT.toMillis(), TimeUnit.MILLISECONDS);
        watch = client.pods().inNamespace("default").watch(this);
    }

    static PlayedPods of(KubernetesClient client, int redisPort, String poolUid) {
        return new PlayedPods(client, redisPort, poolUid);
    }

    @Override
    public void eventReceived(Action action, Pod pod) {
        if (action == Action.ADDED) {
            hands.execute(() -> guarded(() -> play(pod)));
        }
    }

    @Override
    public void onClose(WatcherException cause) {
        // Pods that nobody plays are seen as missing.
    }

    private void play(Pod pod) {
        String name = pod.getMetadata().getName();
        Pod running = new PodBuilder(pod)
                .withNewStatus()
                .withPhase("Running")
                .withConditions(List.of("PodScheduled", "Initialized", "ContainersReady", "Ready").stream()
                        .map(type -> new PodConditionBuilder()
                                .withType(type)
                                .withStatus("True")
                                .build())
                        .toList())
                .withContainerStatuses(pod.getSpec().getContainers().stream()
                        .map(container -> new ContainerStatusBuilder()
                                .withName(container.getName())
                                .withImage(container.getImage())
                                .withImageID("")
                                .withReady(true)
                                .withStarted(true)
                                .withRestartCount(0)
                                .build())
                        .toList())
                .endStatus()
                .build();
        client.resource(running).updateStatus();
        open(new WorkerIdentity("workers", poolUid, name, pod.getMetadata().getUid(), "node", 1));
    }

    /** Opens a session, once Redis knows the pool. */
    private void open(WorkerIdentity identity) {
        switch (sessions.open(identity)) {
            case WorkerSessions.Outcome.Opened opened -> {
                playing.put(identity.pod(), opened.session());
                lastNanos = System.nanoTime();
            }
            case WorkerSessions.Outcome.PoolUnknown _ ->
                hearts.schedule(() -> guarded(() -> open(identity)), 200, TimeUnit.MILLISECONDS);
            case WorkerSessions.Outcome refused -> throw new IllegalStateException(identity.pod() + ": " + refused);
        }
    }

    private void guarded(Runnable act) {
        try {
            act.run();
        } catch (RuntimeException e) {
            failure.compareAndSet(null, e);
        }
    }

    private void beat() {
        guarded(() -> playing.values().forEach(session -> session.heartbeat(List.of(), WorkerState.of(0, false))));
    }

    /**
     * Pods that are ready and in Redis.
     *
     * @throws IllegalStateException when one could not be played
     */
    int played() {
        if (failure.get() != null) {
            throw new IllegalStateException("a pod could not be played", failure.get());
        }
        return playing.size();
    }

    /** Seconds until the last of them was. */
    double allAfter(long fromNanos) {
        return (lastNanos - fromNanos) / (double) TimeUnit.SECONDS.toNanos(1);
    }

    @Override
    public void close() {
        watch.close();
        hands.shutdownNow();
        hearts.shutdownNow();
        store.close();
    }
}
