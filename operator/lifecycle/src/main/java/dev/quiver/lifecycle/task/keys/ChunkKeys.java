package dev.quiver.lifecycle.task.keys;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.OrdinalKeys;
import dev.quiver.lifecycle.ordinals.OrdinalScriptKeys;
import dev.quiver.lifecycle.worker.SessionKeys;

/**
 * The keys of the chunks of one node.
 *
 * @param node id of the node
 */
public record ChunkKeys(Keyspace keyspace, String node) {

    /** Bytes of a document that chunks share at most. */
    public static final int DOCUMENT_BYTES = 4 << 20;

    private static final String PREFIX = "chunks:";

    /** Whether the source of this name are chunks. */
    public static boolean owns(String source) {
        return source.startsWith(PREFIX) && TaskKeys.isNode(source.substring(PREFIX.length()));
    }

    /** The keys of the source of this name. */
    public static ChunkKeys of(Keyspace keyspace, String source) {
        return new ChunkKeys(keyspace, source.substring(PREFIX.length()));
    }

    /** The name in the pool's order. */
    public String source() {
        return sourceOf(node);
    }

    /** The source of a node's chunks. */
    public static String sourceOf(String node) {
        return PREFIX + node;
    }

    /** The keys that these chunks share with every source of numbered tasks. */
    public OrdinalKeys keys() {
        return new OrdinalKeys(source(), keyspace.prefix() + PREFIX + node, keyspace.dirty(), keyspace.commands());
    }

    /** A key of the scripts about chunks by its name there. */
    public String key(SessionKeys worker, String name) {
        TaskKeys tasks = new TaskKeys(keyspace);
        return switch (name) {
            case "nodes" -> tasks.nodes();
            case "children" -> tasks.children();
            case "feeding" -> tasks.feeding();
            case "feeder_held" -> tasks.held(worker.pool(), worker.session());
            default -> new OrdinalScriptKeys(worker, keys()).key(name);
        };
    }
}
