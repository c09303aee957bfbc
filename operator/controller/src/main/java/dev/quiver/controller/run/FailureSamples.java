package dev.quiver.controller.run;

import java.util.ArrayList;
import java.util.List;

import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.controller.status.JsonText;
import dev.quiver.crds.v1alpha1.TaskFailure;

/**
 * The failures in a status: as many, and as much of their messages, as keep the resource below 8 KiB. Conditions come
 * first, since they have the end of the run. Pure.
 */
public final class FailureSamples {

    /**
     * The room for conditions and failures. The metadata with its managed fields takes 2.3 KiB of the rest, the other
     * fields of the status 0.7 KiB.
     */
    static final int BYTES = 4608;

    private static final int MOST = 8;

    /** Type, status, reason, time and generation, with their names. */
    private static final int CONDITION_BYTES = 180;

    /** Names of fields and numbers. */
    private static final int SAMPLE_BYTES = 80;

    private static final int NAME_BYTES = 253;
    private static final int REASON_BYTES = 64;
    private static final int MESSAGE_BYTES = 512;

    private FailureSamples() {}

    /**
     * Each sample has an equal share; an unused part goes to the next samples. The end of a message is kept.
     *
     * @param taken bytes of other parts that a run may have or not
     */
    public static List<TaskFailure> beside(List<Condition> conditions, int taken, List<TaskFailure> failures) {
        return within(
                BYTES
                        - taken
                        - conditions.stream()
                                .mapToInt(c -> CONDITION_BYTES + JsonText.bytes(c.getMessage()))
                                .sum(),
                failures);
    }

    /** As many as fit into so many bytes. */
    public static List<TaskFailure> within(int bytes, List<TaskFailure> failures) {
        int left = bytes;
        List<TaskFailure> samples = new ArrayList<>();
        int remaining = Math.min(MOST, failures.size());
        for (TaskFailure failure : failures.subList(0, remaining)) {
            int share = left / remaining--;
            String task = JsonText.first(failure.task(), NAME_BYTES);
            String reason = JsonText.first(failure.reason(), REASON_BYTES);
            int fixed = SAMPLE_BYTES + JsonText.bytes(task) + JsonText.bytes(reason);
            if (fixed > share) {
                continue;
            }
            String message = JsonText.last(failure.message(), Math.min(share - fixed, MESSAGE_BYTES));
            left -= fixed + JsonText.bytes(message);
            samples.add(new TaskFailure(task, failure.trial(), failure.exitCode(), failure.signal(), reason, message));
        }
        return samples;
    }
}
