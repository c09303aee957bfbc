package dev.quiver.lifecycle.task;

import java.util.List;

/**
 * The record of a node as the scripts keep it: its fields in the order of {@code include/task/tree.lua}.
 */
record NodeRecord(List<String> fields) {

    private static final int LEAST = 14;

    NodeRecord {
        if (fields.size() < LEAST) {
            throw new IllegalArgumentException(
                    "a node has " + fields.size() + " fields, at least " + LEAST + " are known");
        }
    }

    static NodeRecord parse(String text) {
        return new NodeRecord(List.of(text.split("\t", -1)));
    }

    char kind() {
        return fields.getFirst().charAt(0);
    }

    TreeState.State state() {
        return TreeState.State.of(fields.get(1).charAt(0));
    }

    /** The number of failed and lost runs, plus one for the present run. */
    int trial() {
        return Integer.parseInt(fields.get(6)) + Integer.parseInt(fields.get(7)) + 1;
    }

    long total() {
        return Long.parseLong(fields.get(8));
    }

    long progress() {
        return Long.parseLong(fields.get(9));
    }

    /** The number of children of a composite. */
    long count() {
        return Long.parseLong(fields.get(15));
    }

    /** The id of a child of a composite. */
    String child(String tree, long index) {
        return TaskTrees.id(tree, Long.parseLong(fields.get(14)) + index * Long.parseLong(fields.get(16)));
    }
}
