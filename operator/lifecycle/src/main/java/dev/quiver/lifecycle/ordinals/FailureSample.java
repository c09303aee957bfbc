package dev.quiver.lifecycle.ordinals;

import java.util.Optional;

import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;
import dev.quiver.lifecycle.worker.TrialFailure;
import dev.quiver.lifecycle.worker.TrialFailureJson;

/**
 * One entry of {@code T:failures}: a letter and its data. {@code F} (ended the task) and {@code R} (tried again) stand
 * before the failure as JSON. {@code L} (worker lost too often) stands before the number of runs and the payload, which
 * gives the name. After them is a line about the fate of the pod.
 */
public final class FailureSample {

    private FailureSample() {}

    /** Whether the task's name has to be found from the set's source. */
    public static boolean needsSource(String entry) {
        return entry.startsWith("L");
    }

    /** The failure in an entry. */
    public static TrialFailure read(long id, String entry, Optional<TaskSource> source) {
        if (needsSource(entry)) {
            int space = entry.indexOf(' ');
            int line = entry.lastIndexOf('\n');
            int runs = Integer.parseInt(entry.substring(1, space));
            String payload = line < 0 ? entry.substring(space + 1) : entry.substring(space + 1, line);
            String fate = line < 0 ? "" : entry.substring(line + 1);
            return new TrialFailure(
                    name(id, payload, source),
                    runs,
                    Optional.empty(),
                    Optional.empty(),
                    "WorkerLost",
                    "its worker was lost each time: " + runs + " runs"
                            + (fate.isEmpty() ? "" : "; the last time " + fate),
                    true);
        }
        return TrialFailureJson.read(entry.substring(1), entry.startsWith("F"));
    }

    /** A sample keeps only part of a long payload, which is unreadable then; the index becomes the task's name. */
    private static String name(long id, String payload, Optional<TaskSource> source) {
        try {
            return source.map(from -> TaskRendering.name(from, id, Optional.of(payload)))
                    .orElse(Long.toString(id));
        } catch (IllegalArgumentException e) {
            return Long.toString(id);
        }
    }
}
