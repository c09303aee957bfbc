package dev.quiver.supervisor.engine.session;

import java.util.List;
import java.util.Optional;

/**
 * The handlers that the pod's processes serve. Immutable.
 *
 * @param names each once, sorted
 */
public record Handlers(List<String> names) {

    public static final Handlers NONE = new Handlers(List.of());

    public Handlers {
        names = names.stream().distinct().sorted().toList();
    }

    /** Whether what needs all these handlers can run in this pod. */
    boolean serve(List<String> handlers) {
        return names.containsAll(handlers);
    }

    /** Whether what needs this handler can run in this pod: commands, which need none, always. */
    public boolean serve(Optional<String> handler) {
        return handler.map(names::contains).orElse(true);
    }
}
