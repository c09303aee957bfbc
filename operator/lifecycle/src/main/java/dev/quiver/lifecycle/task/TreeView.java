package dev.quiver.lifecycle.task;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

import io.lettuce.core.KeyValue;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;

/** A tree for people: bounded, the nodes first that somebody looks for. */
record TreeView(RedisStore store, Keyspace keyspace, TaskResults results) {

    /** Ordinals that are looked at. */
    private static final int NODES = 1000;

    private record Node(String id, NodeRecord record) {

        /** Failed ones before running ones before all others; the root before all. */
        int rank() {
            if (!id.contains(".")) {
                return 0;
            }
            return switch (record.state()) {
                case FAILED -> 1;
                case LOCKED, RESTART -> 2;
                default -> 3;
            };
        }
    }

    List<NodeState> nodes(String tree, int most) {
        TaskKeys keys = new TaskKeys(keyspace);
        String[] ids =
                IntStream.range(0, NODES).mapToObj(i -> TaskTrees.id(tree, i)).toArray(String[]::new);
        List<Node> found = new ArrayList<>();
        for (KeyValue<String, String> row : store.ask(redis -> redis.hmget(keys.nodes(), ids))) {
            if (row.hasValue()) {
                NodeRecord record = NodeRecord.parse(row.getValue());
                if (!record.isTemplate()) {
                    found.add(new Node(row.getKey(), record));
                }
            }
        }
        List<Node> first = found.stream()
                .sorted(Comparator.comparingInt(Node::rank))
                .limit(most)
                .toList();
        if (first.isEmpty()) {
            return List.of();
        }
        String[] bodies = first.stream()
                .map(node -> node.record().bodyOf(tree, node.id()))
                .toArray(String[]::new);
        List<KeyValue<String, String>> documents = store.ask(redis -> redis.hmget(keys.body(), bodies));
        return IntStream.range(0, first.size())
                .mapToObj(i -> state(first.get(i), documents.get(i).getValueOrElse("")))
                .toList();
    }

    private NodeState state(Node node, String document) {
        TreeState.State state = node.record().state();
        return new NodeState(
                node.id(),
                name(node.id(), document),
                state,
                node.record().progress(),
                node.record().total(),
                node.record().attempt(),
                state == TreeState.State.FAILED
                        ? results.error(node.id()).map(TaskError::message).orElse("")
                        : "");
    }

    private static String name(String id, String document) {
        try {
            String name = TaskBody.read(document).name();
            return name == null || name.isEmpty() ? id : name;
        } catch (IllegalArgumentException unreadable) {
            return id;
        }
    }
}
