package dev.quiver.lifecycle.worker;

import java.util.List;

/**
 * The settlements and places of one step.
 *
 * @param settlements at most {@link StepCall#MAX_SETTLEMENTS}
 * @param places where the claimed tasks will go, at most {@link StepCall#MAX_CLAIMS}; empty to claim none
 * @param served handlers that this pod serves: a source whose tasks differ passes over those of others
 * @param pace how fast the pod is: a source with an order gives it tasks by this
 */
public record StepRequest(List<Settlement> settlements, List<Place> places, List<String> served, Pace pace) {

    /**
     * How fast a pod runs tasks, by its own word.
     *
     * @param slowness thousandths of a task's usual time that it takes there, 0 while that is not known; at most
     *     {@value #MOST_SLOWNESS}
     * @param slots tasks that it runs at once, 1 to {@value #MOST_SLOTS}
     */
    public record Pace(int slowness, int slots) {

        /** The largest slowness: a thousand times the usual time. */
        public static final int MOST_SLOWNESS = 1_000_000;

        /** The most slots. */
        public static final int MOST_SLOTS = 100_000;

        /** A task takes its usual time. */
        public static final int USUAL = 1000;

        /** A pod with one slot and the usual speed. */
        public static final Pace PLAIN = new Pace(USUAL, 1);

        /**
         * Checks the bounds.
         *
         * @throws IllegalArgumentException for a number beyond them
         */
        public Pace {
            if (slowness < 0 || slowness > MOST_SLOWNESS || slots < 1 || slots > MOST_SLOTS) {
                throw new IllegalArgumentException("slowness " + slowness + " with " + slots
                        + " slots: slowness is 0 to " + MOST_SLOWNESS + ", slots are 1 to " + MOST_SLOTS);
            }
        }

        /** Both in one number, as scripts take them: 10⁶ times the slowness, and the slots. */
        public long packed() {
            return 1_000_000L * slowness + slots;
        }
    }

    /** The request of a pod with one slot and the usual speed. */
    public StepRequest(List<Settlement> settlements, List<Place> places, List<String> served) {
        this(settlements, places, served, Pace.PLAIN);
    }

    /** Copies the lists. */
    public StepRequest {
        settlements = List.copyOf(settlements);
        places = List.copyOf(places);
        served = List.copyOf(served);
    }

    /**
     * The bounds of every kind's step.
     *
     * @throws IllegalArgumentException when it carries more than the contract allows
     */
    public void checkBounds() {
        if (settlements.size() > StepCall.MAX_SETTLEMENTS || places.size() > StepCall.MAX_CLAIMS) {
            throw new IllegalArgumentException(settlements.size() + " settlements and " + places.size()
                    + " places, at most " + StepCall.MAX_SETTLEMENTS + " and " + StepCall.MAX_CLAIMS);
        }
        long failures = settlements.stream().filter(StepCall::hasFailure).count();
        if (failures > StepCall.MAX_FAILURES) {
            throw new IllegalArgumentException(failures + " failures in one step, at most " + StepCall.MAX_FAILURES);
        }
    }
}
