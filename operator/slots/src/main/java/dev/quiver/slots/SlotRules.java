package dev.quiver.slots;

import java.util.Optional;

import dev.quiver.slots.SlotView.Impossible;
import dev.quiver.slots.SlotView.Seen;

/**
 * The protocol's table: what the two words mean, how the executor's word may move, what a new executor means. Pure;
 * the board and the model test use the same functions.
 */
final class SlotRules {
    private static final Seen[] SEEN = new Seen[SlotState.values().length];

    static {
        for (SlotState state : SlotState.values()) {
            SEEN[state.ordinal()] = new Seen(state);
        }
    }

    private SlotRules() {}

    /** The fate of a slot's task when a new executor takes the place of the old one. */
    enum Inheritance {
        /** No task was under way. */
        NOTHING,
        /** The new executor has it, or will have it. */
        CARRIED_ON,
        /** Gone before it was started: no trial was used. */
        LOST_UNSTARTED,
        /** Gone while it ran, or with its unread result. */
        LOST,
        /** It had been called off, and gone it is. */
        CANCELLED
    }

    /** The state that the two words make together. */
    static SlotView view(long s, long u) {
        Optional<Op> op = Words.op(s);
        Optional<Stage> stage = Words.stage(u);
        if (op.isEmpty() || stage.isEmpty() || stage.get() == Stage.NONE) {
            return impossible("unknown code", s, u);
        }
        long behind = Words.generation(s) - Words.generation(u);
        if (behind < 0 || behind > 1) {
            return impossible(behind < 0 ? "the executor is ahead" : "the executor is behind", s, u);
        }
        if (behind == 1) {
            return before(op.get(), stage.get(), s, u);
        }
        Optional<SlotState> state = during(op.get(), stage.get());
        return state.isPresent() ? seen(state.get()) : impossible("not a state of the protocol", s, u);
    }

    /**
     * The executor has not yet looked at S's generation. Over an ended trial it cleans before it starts, without a word
     * between: the states that lie between, cleaning and waiting, are not seen.
     */
    private static SlotView before(Op op, Stage stage, long s, long u) {
        if (stage != Stage.READY && !ended(stage)) {
            return impossible("a dispatch to a busy executor", s, u);
        }
        return switch (op) {
            case RUN -> seen(SlotState.PENDING);
            case CANCEL -> seen(SlotState.CANCELLED);
            case NONE, FAIL, ACKNOWLEDGE -> impossible("an answer to what was not begun", s, u);
        };
    }

    private static boolean ended(Stage stage) {
        return stage == Stage.COMPLETE || stage == Stage.RETRY;
    }

    /** The executor has S's generation; empty for a pair that is no state. */
    private static Optional<SlotState> during(Op op, Stage stage) {
        if (stage == Stage.READY) {
            return Optional.of(SlotState.WAITING);
        }
        return switch (op) {
            case NONE -> Optional.empty();
            case RUN ->
                switch (stage) {
                    case RUNNING -> Optional.of(SlotState.RUNNING);
                    case COMPLETE -> Optional.of(SlotState.COMPLETE);
                    case RETRY -> Optional.of(SlotState.RETRY);
                    case NONE, READY, CLEANING -> Optional.empty();
                };
            case CANCEL -> Optional.of(stage == Stage.CLEANING ? SlotState.CLEANING : SlotState.CANCELLED);
            case FAIL -> stage == Stage.RETRY ? Optional.of(SlotState.FAILED) : Optional.empty();
            case ACKNOWLEDGE -> stage == Stage.RUNNING ? Optional.empty() : Optional.of(SlotState.CLEANING);
        };
    }

    /** Whether one executor may have moved its word from the one value to the other, perhaps in several steps. */
    static boolean mayFollow(long before, long after) {
        long steps = Words.generation(after) - Words.generation(before);
        if (steps != 0) {
            return steps > 0;
        }
        int from = rank(before);
        int to = rank(after);
        return from < to || before == after;
    }

    private static int rank(long u) {
        return switch (Words.stage(u).orElse(Stage.NONE)) {
            case NONE -> Integer.MAX_VALUE;
            case RUNNING -> 1;
            case COMPLETE, RETRY -> 2;
            case CLEANING -> 3;
            case READY -> 4;
        };
    }

    /**
     * The meaning of a new {@code exec} for the slot. Its words begin as (S.g, ready), so a task that S still dispatches
     * under that generation is gone. It had been started if the old executor had reached its generation.
     *
     * @param s the supervisor's word
     * @param oldU the last word that the old executor wrote, empty if none is known
     * @param newU the new executor's word
     */
    static Inheritance afterAgentReturned(long s, Optional<Long> oldU, long newU) {
        Op op = Words.op(s).orElse(Op.NONE);
        boolean over = Words.generation(newU) == Words.generation(s)
                && Words.stage(newU).orElse(Stage.NONE) == Stage.READY;
        if (!over) {
            return Inheritance.CARRIED_ON;
        }
        return switch (op) {
            case NONE, FAIL, ACKNOWLEDGE -> Inheritance.NOTHING;
            case CANCEL -> Inheritance.CANCELLED;
            case RUN -> {
                boolean untouched = oldU.isPresent() && Words.generation(oldU.get()) < Words.generation(s);
                yield untouched ? Inheritance.LOST_UNSTARTED : Inheritance.LOST;
            }
        };
    }

    private static SlotView seen(SlotState state) {
        return SEEN[state.ordinal()];
    }

    private static SlotView impossible(String why, long s, long u) {
        return new Impossible(why + ": " + Words.text(s, u));
    }
}
