package dev.quiver.lifecycle.task.rows;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.quiver.lifecycle.task.keys.TreeIds;
import dev.quiver.lifecycle.task.model.TreeState;

/**
 * The record of a node as the scripts keep it: its fields in the order of {@code include/task/nodes.lua}.
 */
public record NodeRecord(List<String> fields) {

    /** Stands for the parent of the node that runs at the end. */
    static final String AT_END = "F";

    private static final int LEAST = 14;

    /** The fields of a composite in front of its rank. */
    private static final int COMPOSITE = 24;

    private static final Pattern WAITS = Pattern.compile("b(\\d{1,9})$");

    /** Throws an IllegalArgumentException for fewer fields than are known. */
    public NodeRecord {
        if (fields.size() < LEAST) {
            throw new IllegalArgumentException(
                    "a node has " + fields.size() + " fields, at least " + LEAST + " are known");
        }
    }

    /** The record in this text; an IllegalArgumentException where fields are missing. */
    public static NodeRecord parse(String text) {
        return new NodeRecord(List.of(text.split("\t", -1)));
    }

    /** The letter of its kind. */
    public char kind() {
        return fields.getFirst().charAt(0);
    }

    /** Where it is; null for a letter that no state has. */
    public TreeState.State state() {
        return TreeState.State.of(fields.get(1).charAt(0));
    }

    /** Whether it has ended, whatever its outcome. */
    public boolean isOver() {
        return "f".equals(fields.get(1)) || "x".equals(fields.get(1));
    }

    /** The number of failed and lost runs, plus one for the present run. */
    public int trial() {
        return runs() + 1;
    }

    /** The number of failed and lost runs. */
    private int runs() {
        return Integer.parseInt(fields.get(6)) + Integer.parseInt(fields.get(7));
    }

    /** The number of the present or last trial of a leaf; 0 before the first, and of a composite. */
    public int shownTrial() {
        boolean running = "l".equals(fields.get(1)) || "f".equals(fields.get(1));
        return kind() == 'L' ? runs() + (running ? 1 : 0) : 0;
    }

    /** The kind of the node, in the words of the record. */
    String kindWord() {
        return switch (kind()) {
            case 'C' -> "chain";
            case 'G' -> "group";
            case 'E' -> "forEach";
            case 'I' -> "iterator";
            case 'K' -> "chunks";
            default -> "leaf";
        };
    }

    /** The number of its parent, −1 for the root; what runs at the end is shown below the root. */
    long parent() {
        String parent = fields.get(2);
        return parent.isEmpty() ? -1 : parent.equals(AT_END) ? 0 : Long.parseLong(parent);
    }

    /** Whether this is the pattern of nodes, and no node itself. */
    boolean isTemplate() {
        return "t".equals(fields.get(1));
    }

    /** The id of the node whose document it executes. */
    public String bodyOf(String tree, String id) {
        String origin = fields.get(11);
        return origin.isEmpty() ? id : TreeIds.node(tree, Long.parseLong(origin));
    }

    /** Whether nothing below it is given out, nor itself. */
    public boolean isSuspended() {
        return "1".equals(fields.get(13));
    }

    /** The pool of a leaf, an iterator or chunks; empty of others. */
    public String pool() {
        return fields.get(3);
    }

    /** Trials that may fail. */
    public int maxTrials() {
        return Integer.parseInt(fields.get(5));
    }

    /** The amount of work of its task, in the task's own units. */
    public long total() {
        return Long.parseLong(fields.get(8));
    }

    /** How much of that is done. */
    public long progress() {
        return Long.parseLong(fields.get(9));
    }

    /** Where it stands among what waits, as the scripts keep it; empty of a node that has no rank. */
    public String rank() {
        int at = kind() == 'L' ? LEAST : COMPOSITE;
        return fields.size() > at ? fields.get(at) : "";
    }

    /** For how many trees a leaf waits that its plan has put before it; 0 for none. */
    public int waits() {
        String letters = kind() == 'L' && fields.size() > LEAST + 2 && state() == TreeState.State.RESTART
                ? fields.get(LEAST + 2)
                : "";
        Matcher waits = WAITS.matcher(letters);
        return waits.find() ? Integer.parseInt(waits.group(1)) : 0;
    }

    /** The number of children of a composite. */
    public long count() {
        return Long.parseLong(fields.get(15));
    }

    /** The id of a child of a composite. */
    public String child(String tree, long index) {
        return TreeIds.node(tree, Long.parseLong(fields.get(14)) + index * Long.parseLong(fields.get(16)));
    }
}
