package dev.quiver.supervisor.engine;

import java.util.List;

import dev.quiver.lifecycle.taskset.ExecutionSpec;

/**
 * What the pod's handler processes serve. Immutable.
 *
 * @param names each once, sorted
 */
record Handlers(List<String> names) {

    static final Handlers NONE = new Handlers(List.of());

    Handlers {
        names = names.stream().distinct().sorted().toList();
    }

    /** Whether the set's tasks can run in this pod: commands always. */
    boolean serve(ExecutionSpec spec) {
        return spec.handler().map(names::contains).orElse(true);
    }
}
