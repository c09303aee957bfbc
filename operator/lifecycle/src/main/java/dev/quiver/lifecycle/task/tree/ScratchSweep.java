package dev.quiver.lifecycle.task.tree;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.task.keys.TaskKeys;
import dev.quiver.lifecycle.task.keys.TreeIds;
import dev.quiver.lifecycle.task.model.TaskDocument;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.rows.NodeRecord;
import dev.quiver.lifecycle.task.rows.RootFacts;

/** The files of results that a tree leaves which is dropped before its end: its node at the end does not run. */
record ScratchSweep(RedisStore store, Keyspace keyspace) {

    /** How long a worker may take to come: a pool that is gone shall not keep its task for ever. */
    private static final Duration PATIENCE = Duration.ofHours(1);

    private static final int RECORD_BYTES = 4096;
    private static final int DOCUMENT_BYTES = 64 * 1024;

    /** Composites above a removal, and removals of one tree, at most. */
    private static final int DEPTH = 3;

    private static final int MOST = 64;

    /** Trees that remove what this one would leave: none of a tree without such files, and of one that is over. */
    List<TaskTree> of(String tree) {
        return field(new TaskKeys(keyspace).roots(), tree, RECORD_BYTES)
                .filter(text -> !text.isEmpty())
                .map(RootFacts::parse)
                .filter(facts -> facts.ended().isEmpty())
                .flatMap(RootFacts::atEnd)
                .stream()
                .flatMap(ordinal -> removals(tree, TreeIds.node(tree, ordinal), DEPTH))
                .limit(MOST)
                .map(removal -> new TaskTree(
                        TreeIds.fresh(),
                        removal,
                        Optional.empty(),
                        false,
                        Optional.of(PATIENCE),
                        Duration.ZERO,
                        Optional.of(Duration.ZERO)))
                .toList();
    }

    private Stream<TreeNode> removals(String tree, String id, int depth) {
        TaskKeys keys = new TaskKeys(keyspace);
        Optional<NodeRecord> found = field(keys.nodes(), id, RECORD_BYTES).map(NodeRecord::parse);
        if (found.isEmpty() || depth == 0) {
            return Stream.empty();
        }
        NodeRecord node = found.get();
        return switch (node.kind()) {
            case 'L' ->
                field(keys.body(), node.bodyOf(tree, id), DOCUMENT_BYTES)
                        .map(TaskDocument::read)
                        .flatMap(body -> body.removes().map(scratch -> scratch.removal(body.name(), node.pool(), tree)))
                        .stream();
            case 'C', 'G' ->
                LongStream.range(0, Math.min(node.count(), MOST))
                        .mapToObj(i -> node.child(tree, i))
                        .flatMap(child -> removals(tree, child, depth - 1));
            default -> Stream.empty();
        };
    }

    private Optional<String> field(String hash, String field, int most) {
        return new BoundedReads(store).fields(hash, most, field).getFirst();
    }
}
