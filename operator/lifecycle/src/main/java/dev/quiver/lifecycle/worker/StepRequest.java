package dev.quiver.lifecycle.worker;

import java.util.List;

/**
 * The settlements and places of one step.
 *
 * @param settlements at most {@link StepCall#MAX_SETTLEMENTS}
 * @param places where the claimed tasks will go, at most {@link StepCall#MAX_CLAIMS}; empty to claim none
 * @param served handlers that this pod serves: a source whose tasks differ passes over those of others
 */
public record StepRequest(List<Settlement> settlements, List<Place> places, List<String> served) {

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
