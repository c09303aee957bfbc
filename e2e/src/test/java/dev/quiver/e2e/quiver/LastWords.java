package dev.quiver.e2e.quiver;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;

/**
 * The words that the supervisors of a namespace left as their containers' termination messages, kept beyond the life of
 * their pods. Thread-safe.
 */
public final class LastWords implements AutoCloseable {

    private static final String SUPERVISOR = "quiver-supervisor";

    private final Set<String> said = ConcurrentHashMap.newKeySet();
    private final SharedIndexInformer<Pod> pods;

    /** Begins to listen. */
    public LastWords(Space space) {
        this.pods = space.client().pods().inNamespace(space.name()).inform(new Listener());
    }

    /** All messages so far, in no order. */
    public List<String> said() {
        return List.copyOf(said);
    }

    @Override
    public void close() {
        pods.close();
    }

    private final class Listener implements ResourceEventHandler<Pod> {

        @Override
        public void onAdd(Pod pod) {
            listen(pod);
        }

        @Override
        public void onUpdate(Pod before, Pod pod) {
            listen(pod);
        }

        @Override
        public void onDelete(Pod pod, boolean unknown) {
            listen(pod);
        }

        private void listen(Pod pod) {
            pod.getStatus().getInitContainerStatuses().stream()
                    .filter(status -> status.getName().equals(SUPERVISOR))
                    .flatMap(status -> Stream.of(status.getState(), status.getLastState()))
                    .filter(Objects::nonNull)
                    .map(ContainerState::getTerminated)
                    .filter(Objects::nonNull)
                    .map(ContainerStateTerminated::getMessage)
                    .filter(Objects::nonNull)
                    .forEach(said::add);
        }
    }
}
