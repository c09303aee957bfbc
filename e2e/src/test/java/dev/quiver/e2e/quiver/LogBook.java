package dev.quiver.e2e.quiver;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.dsl.LogWatch;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The logs of all workers of a namespace, followed from their first line, so that they outlive their pods. A container
 * that starts again in its pod is followed again. A connection that ends before its container, as a busy node's does,
 * is opened again. Thread-safe.
 */
public final class LogBook implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LogBook.class);

    /** The client hands on the body of an answer of any code, so a refusal stands where the log would. */
    private static final String REFUSAL = "{\"kind\":\"Status\"";

    private static final Executor SOON = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);

    private final Space space;
    private final Map<String, Page> pages = new ConcurrentHashMap<>();
    private final SharedIndexInformer<Pod> pods;

    /** Begins to follow; worker pods that are there already are followed from their first line too. */
    public LogBook(Space space) {
        this.space = space;
        this.pods = space.client().pods().inNamespace(space.name()).inform(new Follower());
    }

    /** All lines so far, pod by pod. */
    public List<String> lines() {
        return pages.values().stream().flatMap(page -> page.lines().stream()).toList();
    }

    /** All lines so far, for people. */
    public String byPod() {
        return pages.entrySet().stream()
                .map(page -> page.getKey() + ":\n"
                        + String.join("\n", page.getValue().lines()))
                .collect(Collectors.joining("\n"));
    }

    /** The lines of one pod so far. */
    public List<String> lines(Pod pod) {
        return pages.entrySet().stream()
                .filter(page -> page.getKey().startsWith(pod.getMetadata().getUid()))
                .flatMap(page -> page.getValue().lines().stream())
                .toList();
    }

    /** How often a line was written. */
    public long count(String line) {
        return lines().stream().filter(line::equals).count();
    }

    @Override
    public void close() {
        pods.close();
        pages.values().forEach(Page::close);
    }

    private static boolean runs(ContainerStatus status) {
        return status.getName().equals("worker") && status.getState().getRunning() != null;
    }

    /** The log of one container. */
    private final class Page {

        private final Pod pod;
        private final String container;
        private volatile List<String> kept = List.of();
        private volatile ByteArrayOutputStream text = new ByteArrayOutputStream();
        private volatile LogWatch watch;
        private volatile boolean closed;

        Page(Pod pod, String container) {
            this.pod = pod;
            this.container = container;
            this.watch = open();
        }

        /** A log only grows: of two readings from its first line the longer one is the newer one. */
        List<String> lines() {
            String now = text.toString(StandardCharsets.UTF_8);
            List<String> lines =
                    now.startsWith(REFUSAL) ? List.of() : now.lines().toList();
            return lines.size() < kept.size() ? kept : lines;
        }

        void close() {
            closed = true;
            watch.close();
        }

        private LogWatch open() {
            LogWatch opened = space.client()
                    .pods()
                    .inNamespace(space.name())
                    .withName(pod.getMetadata().getName())
                    .inContainer("worker")
                    .watchLog(text);
            opened.onClose().thenAcceptAsync(this::ended, SOON);
            return opened;
        }

        private void ended(Throwable why) {
            if (!closed && isRunning()) {
                LOG.warn(
                        "the log of {} ended before its container: {}",
                        pod.getMetadata().getName(),
                        why);
                kept = lines();
                text = new ByteArrayOutputStream();
                watch = open();
                if (closed) {
                    watch.close();
                }
            }
        }

        private boolean isRunning() {
            return pods.getStore().list().stream()
                    .flatMap(seen -> seen.getStatus().getContainerStatuses().stream())
                    .anyMatch(status -> runs(status) && container.equals(status.getContainerID()));
        }
    }

    private final class Follower implements ResourceEventHandler<Pod> {

        @Override
        public void onAdd(Pod pod) {
            follow(pod);
        }

        @Override
        public void onUpdate(Pod before, Pod pod) {
            follow(pod);
        }

        @Override
        public void onDelete(Pod pod, boolean unknown) {
            // What it wrote is kept.
        }

        private void follow(Pod pod) {
            pod.getStatus().getContainerStatuses().stream()
                    .filter(LogBook::runs)
                    .map(ContainerStatus::getContainerID)
                    .forEach(container -> pages.computeIfAbsent(
                            pod.getMetadata().getUid() + " " + container, key -> new Page(pod, container)));
        }
    }
}
