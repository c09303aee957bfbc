package dev.quiver.lifecycle.task.queue;

import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.CombineTree;
import dev.quiver.lifecycle.ordinals.OrdinalKeys;
import dev.quiver.lifecycle.ordinals.OrdinalKind;
import dev.quiver.lifecycle.ordinals.OrdinalTasks;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.task.chunks.ChunkTasks;
import dev.quiver.lifecycle.task.commands.TaskCommands;
import dev.quiver.lifecycle.task.keys.ChunkKeys;
import dev.quiver.lifecycle.task.model.TaskDocument;
import dev.quiver.lifecycle.task.results.ChunkResults;
import dev.quiver.lifecycle.worker.CallBudget;

/**
 * Chunks of nodes as sources of numbered tasks. Their sources are {@code chunks:<node>}; the end of one is a command to
 * its node.
 *
 * @param store where they are
 * @param keyspace of the nodes
 */
public record ChunkKind(RedisStore store, Keyspace keyspace) implements OrdinalKind {

    /** Calls for what the end of a source leaves; the tick does the others. */
    private static final int MOST_CALLS = 100;

    /** The source of the chunks of a node. */
    public static String source(String node) {
        return ChunkKeys.sourceOf(node);
    }

    @Override
    public String label() {
        return "Chunk";
    }

    @Override
    public boolean owns(String source) {
        return ChunkKeys.owns(source);
    }

    @Override
    public OrdinalKeys keys(String source) {
        return ChunkKeys.of(keyspace, source).keys();
    }

    @Override
    public Optional<OrdinalTasks> tasks(String source) {
        OrdinalKeys keys = keys(source);
        List<Optional<String>> fields = new BoundedReads(store)
                .fields(keys.hash(), ChunkKeys.DOCUMENT_BYTES, "spec", "count", "fan_in", "max_trials");
        return fields.getFirst()
                .map(document -> new ChunkTasks(
                        source,
                        TaskDocument.read(document),
                        number(fields.get(3)),
                        new CombineTree(number(fields.get(1)), number(fields.get(2))),
                        new ChunkResults(store, keyspace, keys)));
    }

    private static int number(Optional<String> field) {
        return field.map(Integer::parseInt).orElse(0);
    }

    @Override
    public void run(String command) {
        new TaskCommands(store, keyspace).run(List.of(command), new CallBudget(MOST_CALLS));
    }
}
