package dev.quiver.controller.tree;

import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.execution.Execution;

/** Parts of a spec in the words of the Redis contract. Pure. */
public final class Executions {

    private Executions() {}

    /** A function or a command. */
    public static Execution of(Optional<String> handler, List<String> command, String workingDir) {
        return handler.<Execution>map(Execution.Handler::new)
                .orElseGet(() -> new Execution.Command(command, List.of(), Optional.ofNullable(workingDir)));
    }
}
