package dev.quiver.lifecycle.wires.idoit;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;

import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TreeNode;

/**
 * A tree as hashes of the wire: ids are {@code tree} for the root and {@code tree.ordinal}, breadth first. No I/O.
 *
 * @param all of the tree, the root first
 */
record IdoitRows(List<Row> all) {

    /** Three days: the time for which idoit keeps what has ended. */
    static final Duration KEEP = Duration.ofDays(3);

    private static final int UID_BYTES = 21;

    /**
     * One hash.
     *
     * @param fields names and JSON texts, in turn
     */
    record Row(String key, String pool, List<String> fields) {

        /** The fields as a JSON array of strings, as scripts take them. */
        String json() {
            ArrayNode array = JsonNodeFactory.instance.arrayNode();
            fields.forEach(array::add);
            return array.toString();
        }
    }

    /**
     * A task that is there already.
     *
     * @param uid as JSON
     */
    record Parent(String key, String uid, String pool) {}

    private record Place(String key, TreeNode node, Optional<Place> parent, String pool) {}

    /**
     * The hashes of a tree.
     *
     * @param pool of its composites, which have none of their own
     * @param parent of its root on the wire; absent for none
     * @param began of the root, ms; absent for a child
     * @throws IllegalArgumentException for a node that the wire has no form for
     */
    static IdoitRows of(
            String id, TreeNode root, String pool, Optional<Parent> parent, Duration keep, OptionalLong began) {
        List<Place> places = new ArrayList<>();
        Deque<Place> left = new ArrayDeque<>();
        left.add(new Place(id, root, Optional.empty(), poolOf(root, pool)));
        int next = 1;
        List<List<String>> children = new ArrayList<>();
        while (!left.isEmpty()) {
            Place place = left.remove();
            places.add(place);
            List<String> keys = new ArrayList<>();
            for (TreeNode child : place.node().children()) {
                String key = id + "." + next++;
                keys.add(key);
                left.add(new Place(key, child, Optional.of(place), poolOf(child, pool)));
            }
            children.add(keys);
        }
        return new IdoitRows(IntStream.range(0, places.size())
                .mapToObj(i -> row(places.get(i), children.get(i), parent, keep, i == 0 ? began : OptionalLong.empty()))
                .toList());
    }

    private static String poolOf(TreeNode node, String otherwise) {
        return switch (node) {
            case TreeNode.Leaf leaf -> leaf.pool();
            case TreeNode.IteratorNode iterator -> iterator.pool();
            default -> otherwise;
        };
    }

    private static Row row(
            Place place, List<String> children, Optional<Parent> above, Duration keep, OptionalLong began) {
        TreeNode node = place.node();
        Fields fields = new Fields();
        fields.text("name", typeOf(node));
        fields.text("id", place.key());
        fields.text("pool", place.pool());
        fields.text("uid", uid(place.key()));
        fields.json("retries", "0");
        fields.json("total", Long.toString(total(node)));
        fields.json("progress", "0");
        fields.text("state", "waiting");
        place.parent()
                .map(parent -> new Parent(parent.key(), JsJson.quoted(uid(parent.key())), parent.pool()))
                .or(() -> above)
                .ifPresent(parent -> {
                    fields.text("parent", parent.key());
                    fields.json("parent_uid", parent.uid());
                    fields.text("parent_pool", parent.pool());
                });
        fields.json("args", arguments(node));
        if (node instanceof TreeNode.Group) {
            fields.json("result", "[]");
        }
        fields.json("removeDelay", Long.toString(keep.toMillis()));
        if (node instanceof TreeNode.IteratorNode) {
            fields.json("children_created", "0");
            fields.json("children_finished", "0");
            fields.json("user_data", "{}");
        } else if (!(node instanceof TreeNode.Leaf)) {
            fields.json("children", keys(children));
            fields.json("children_finished", "0");
        }
        fields.json("quiver", IdoitOptions.write(node.body(), maxTrials(node), began));
        return new Row(place.key(), place.pool(), fields.all);
    }

    private static final class Fields {
        private final List<String> all = new ArrayList<>();

        void json(String name, String json) {
            all.addAll(List.of(name, json));
        }

        void text(String name, String text) {
            json(name, JsJson.quoted(text));
        }
    }

    private static String keys(List<String> children) {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        children.forEach(array::add);
        return JsJson.write(array);
    }

    private static String typeOf(TreeNode node) {
        return switch (node) {
            case TreeNode.Leaf leaf -> handler(leaf.body());
            case TreeNode.IteratorNode iterator -> handler(iterator.body());
            case TreeNode.Chain chain -> composite("chain", chain.children(), chain.onChildError(), chain.deadline());
            case TreeNode.Group group
            when group.window() == 0 -> composite("group", group.children(), group.onChildError(), group.deadline());
            default -> throw new IllegalArgumentException("the wire of idoit has no form for this node");
        };
    }

    private static String composite(
            String type, List<TreeNode> children, TreeNode.OnChildError reaction, Optional<Duration> deadline) {
        if (children.isEmpty() || reaction != TreeNode.OnChildError.FAIL || deadline.isPresent()) {
            throw new IllegalArgumentException("a " + type
                    + " of idoit has at least one child, fails with its first one, and has no deadline of its own");
        }
        return type;
    }

    private static String handler(TaskBody body) {
        return body.handler()
                .orElseThrow(() -> new IllegalArgumentException("a task of idoit runs a handler, no command"));
    }

    private static long total(TreeNode node) {
        return switch (node) {
            case TreeNode.Leaf leaf -> leaf.total();
            case TreeNode.IteratorNode iterator -> 1;
            default -> node.children().stream().mapToLong(IdoitRows::total).sum();
        };
    }

    private static int maxTrials(TreeNode node) {
        return switch (node) {
            case TreeNode.Leaf leaf -> leaf.maxTrials();
            case TreeNode.IteratorNode iterator -> iterator.maxTrials();
            default -> 1;
        };
    }

    private static String arguments(TreeNode node) {
        if (!(node instanceof TreeNode.Leaf) && !(node instanceof TreeNode.IteratorNode)) {
            return "[null]"; // idoit's own form for children that were given as an array
        }
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        array.addAll(node.body().args());
        return JsJson.write(array);
    }

    /** Like idoit's, 28 characters. Made of the id, so a creation that is repeated gives the same. */
    static String uid(String key) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(Arrays.copyOf(digest, UID_BYTES));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
