package dev.quiver.lifecycle.task.keys;

import java.security.SecureRandom;

/**
 * Ids of nodes, and of trees that have no resource: 14 random letters and digits, which a resource's uid never is. Redis keeps a waiting
 * task's id in four places, and each takes twice the memory for an id of more than 14 letters.
 */
public final class TreeIds {

    private static final String LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    private static final int LENGTH = 14;
    private static final SecureRandom RANDOM = new SecureRandom();

    private TreeIds() {}

    /** The id of a tree's node: {@code tree} for the root, else {@code tree.ordinal}. */
    public static String node(String tree, long ordinal) {
        return ordinal == 0 ? tree : tree + "." + ordinal;
    }

    /** Whether a tree has such an id. */
    public static boolean isOfProgram(String tree) {
        return tree.length() == LENGTH && tree.chars().allMatch(c -> LETTERS.indexOf(c) >= 0);
    }

    /**
     * Whether a tree asks the contingency of a task that ended by another's will. It belongs to no run, whatever its document
     * says.
     */
    public static boolean isApart(String tree) {
        return tree.endsWith("-c");
    }

    /** Another one. */
    public static String fresh() {
        byte[] bytes = new byte[LENGTH];
        RANDOM.nextBytes(bytes);
        char[] id = new char[LENGTH];
        for (int i = 0; i < LENGTH; i++) {
            id[i] = LETTERS.charAt((bytes[i] & 0xFF) % LETTERS.length());
        }
        return new String(id);
    }
}
