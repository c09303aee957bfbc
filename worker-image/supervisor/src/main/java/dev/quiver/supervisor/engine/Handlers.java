package dev.quiver.supervisor.engine;

import java.util.List;
import java.util.Set;

import dev.quiver.lifecycle.taskset.ExecutionSpec;

/**
 * What the pod's handler processes serve. Immutable.
 *
 * @param names as they were announced
 */
record Handlers(List<String> names) {

    static final Handlers NONE = new Handlers(List.of());

    Handlers {
        names = List.copyOf(Set.copyOf(names)).stream().sorted().toList();
    }

    /** Whether the set's tasks can run in this pod: commands always. */
    boolean serve(ExecutionSpec spec) {
        return spec.handler().map(names::contains).orElse(true);
    }
}
