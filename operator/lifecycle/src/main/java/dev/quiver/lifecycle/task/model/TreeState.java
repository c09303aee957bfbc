package dev.quiver.lifecycle.task.model;

import java.util.Optional;

/**
 * A tree as a whole.
 *
 * @param state of its root
 * @param progress what of {@code total} is done
 * @param total of what is known so far: a forEach and an iterator add to it as they go
 * @param counts of its nodes by their state; all zero where they are not counted
 * @param over whether the root, and the node that runs at the end, have ended
 * @param error of the root; absent while it has none
 */
public record TreeState(
        State state, long progress, long total, Counts counts, boolean over, Optional<NodeError> error) {

    /** A node's state, in the words of the seed. */
    public enum State {
        WAITING('w'),
        IDLE('i'),
        STARTABLE('s'),
        LOCKED('l'),
        RESTART('r'),
        /** It ended well. */
        FINISHED('f'),
        /** It ended with an error. */
        FAILED('x');

        private final char letter;

        State(char letter) {
            this.letter = letter;
        }

        /** The state of that letter in Redis; {@link IllegalArgumentException} for a letter of none. */
        public static State of(char letter) {
            for (State state : values()) {
                if (state.letter == letter) {
                    return state;
                }
            }
            throw new IllegalArgumentException("no state is called " + letter);
        }

        /** How a node ended that is in this state when its tree is over, in the words of the record. */
        public String recorded() {
            return switch (this) {
                case FINISHED -> "succeeded";
                case FAILED -> "failed";
                case LOCKED, RESTART -> "cancelled";
                case WAITING, IDLE, STARTABLE -> "notRun";
            };
        }

        /** Whether it ended. */
        public boolean isOver() {
            return this == FINISHED || this == FAILED;
        }
    }

    /** Nodes by their state. */
    public record Counts(
            long waiting, long idle, long startable, long locked, long restart, long finished, long failed) {

        /** Reads the counts; an empty text is all zero. */
        public static Counts parse(String text) {
            long[] all = new long[State.values().length];
            String[] words = text.split(",");
            for (int i = 0; i < all.length && !text.isEmpty(); i++) {
                all[i] = Long.parseLong(words[i]);
            }
            return new Counts(all[0], all[1], all[2], all[3], all[4], all[5], all[6]);
        }
    }
}
