package dev.quiver.slots;

import java.util.Optional;

/** The eight states of a slot. They are a view of the two words, see {@link SlotRules}; none of them is stored. */
public enum SlotState {
    /** The slot is free. */
    WAITING(1),
    /** Dispatched, not yet begun. */
    PENDING(2),
    /** The executor works on it. */
    RUNNING(3),
    /** The supervisor called it off; the executor has not yet reaped it. */
    CANCELLED(4),
    /** The trial failed, with a reason; the supervisor has not yet answered. */
    RETRY(5),
    /** The supervisor ended the slot's use after a failed trial; not yet acknowledged. */
    FAILED(6),
    /** The trial passed; not yet acknowledged. */
    COMPLETE(7),
    /** Acknowledged or called off; the executor makes the slot ready. */
    CLEANING(8);

    private static final SlotState[] BY_CODE = new SlotState[9];

    static {
        for (SlotState state : values()) {
            BY_CODE[state.code] = state;
        }
    }

    private final int code;

    SlotState(int code) {
        this.code = code;
    }

    /** The state's number in the packet, 1 to 8. */
    public int code() {
        return code;
    }

    /** The state with this number, empty for any other number. */
    public static Optional<SlotState> ofCode(int code) {
        return code < 1 || code >= BY_CODE.length ? Optional.empty() : Optional.of(BY_CODE[code]);
    }
}
