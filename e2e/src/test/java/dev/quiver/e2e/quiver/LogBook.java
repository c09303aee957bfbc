package dev.quiver.e2e.quiver;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.dsl.LogWatch;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;

/**
 * The logs of all workers of a namespace, followed from their first line, so that they outlive their pods. A container
 * that starts again in its pod is followed again. Thread-safe.
 */
public final class LogBook implements AutoCloseable {

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
        pages.values().forEach(page -> page.watch().close());
    }

    private record Page(ByteArrayOutputStream text, LogWatch watch) {
        List<String> lines() {
            return text.toString(StandardCharsets.UTF_8).lines().toList();
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
                    .filter(status -> status.getName().equals("worker")
                            && status.getState().getRunning() != null)
                    .forEach(status -> pages.computeIfAbsent(
                            pod.getMetadata().getUid() + " " + status.getContainerID(), key -> page(pod)));
        }

        private Page page(Pod pod) {
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            return new Page(
                    text,
                    space.client()
                            .pods()
                            .inNamespace(space.name())
                            .withName(pod.getMetadata().getName())
                            .inContainer("worker")
                            .watchLog(text));
        }
    }
}
