package dev.quiver.lifecycle.task.rows;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeState;

/** The facts of a whole tree as the scripts keep them: fields in the order of {@code include/task/roots.lua}. */
public record RootFacts(List<String> fields) {

    private static final String RECORDED = "R";
    private static final int NEXT = 2;
    private static final int AT_END = 3;
    private static final int COUNTS = 5;
    private static final int BEGAN = 6;
    private static final int ENDED = 8;

    /** Throws an IllegalArgumentException for fewer fields than are known. */
    public RootFacts {
        if (fields.size() <= ENDED) {
            throw new IllegalArgumentException("a tree has " + fields.size() + " facts, " + (ENDED + 1) + " are known");
        }
    }

    /**
     * The facts of a tree that is about to begin.
     *
     * @param next the first ordinal that is free
     * @param nodes that wait; they are counted in a watched tree only
     */
    static RootFacts of(TaskTree tree, long next, Optional<Long> atEnd, long nodes) {
        return new RootFacts(List.of(
                tree.keep().map(Duration::toMillis).map(String::valueOf).orElse(""),
                tree.watched() ? "1" : "0",
                Long.toString(next),
                atEnd.map(String::valueOf).orElse(""),
                tree.deadline().map(Duration::toMillis).map(String::valueOf).orElse(""),
                tree.watched() ? nodes + ",0,0,0,0,0,0," + next : "",
                "",
                "",
                "",
                tree.record().isPresent() ? RECORDED : ""));
    }

    /** The facts in this text; an IllegalArgumentException where some are missing. */
    public static RootFacts parse(String text) {
        return new RootFacts(List.of(text.split("\t", -1)));
    }

    /** As Redis holds them. */
    public String text() {
        return String.join("\t", fields);
    }

    /** The first number that no node has. */
    long next() {
        return Long.parseLong(fields.get(NEXT));
    }

    /** The ordinal of the node that runs at the end. */
    public Optional<Long> atEnd() {
        return Optional.of(fields.get(AT_END)).filter(text -> !text.isEmpty()).map(Long::parseLong);
    }

    /** When it began, or was resumed last; absent for one that waits. */
    public Optional<Instant> began() {
        return time(BEGAN);
    }

    /** When the root and the node at the end were over. */
    public Optional<Instant> ended() {
        return time(ENDED);
    }

    private Optional<Instant> time(int field) {
        return Optional.of(fields.get(field))
                .filter(text -> !text.isEmpty())
                .map(text -> Instant.ofEpochMilli(Long.parseLong(text)));
    }

    /** How many of its nodes are in each state. */
    public TreeState.Counts counts() {
        return TreeState.Counts.parse(fields.get(COUNTS));
    }
}
