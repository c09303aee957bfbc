package dev.quiver.lifecycle.taskset;

import java.util.Optional;

import dev.quiver.lifecycle.execution.RunnableTask;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.OrdinalKeys;
import dev.quiver.lifecycle.ordinals.OrdinalKind;

/**
 * TaskSets as sources of numbered tasks. Their sources are their uids, and they report to the keyspace's changed sets.
 *
 * @param keyspace of the sets
 */
public record TaskSetKind(Keyspace keyspace) implements OrdinalKind {

    /** Kinds of work that are no TaskSets mark their sources by a colon, which no uid has. */
    @Override
    public boolean owns(String source) {
        return TaskSetKeys.isUid(source);
    }

    @Override
    public OrdinalKeys keys(String source) {
        return new TaskSetKeys(keyspace, source).source();
    }

    @Override
    public RunnableTask task(String source, ExecutionSpec spec, long ordinal, int trial, Optional<String> payload) {
        return new TaskSetTask(source, spec, ordinal, trial, payload);
    }
}
