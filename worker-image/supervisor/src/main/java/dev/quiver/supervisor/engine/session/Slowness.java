package dev.quiver.supervisor.engine.session;

import java.time.Duration;
import java.util.Arrays;

import dev.quiver.lifecycle.execution.TaskEstimate;
import dev.quiver.lifecycle.worker.StepRequest.Pace;

/**
 * How long tasks take in this pod against their usual time: the median of the last five tasks that passed, of any set.
 * It lives as long as the process. A median forgets one task that was held up, and follows a pod that turns slow within
 * three. Only tasks count whose usual time runs tell. Belongs to the engine's thread.
 */
public final class Slowness {

    private static final int TASKS = 5;

    /** Is added to both times, so that what the machine does beside a short task is no slowness. */
    private static final long UNSTEADY_MILLIS = 20;

    private static final int PLAIN = Pace.USUAL;

    private final int[] last = new int[TASKS];
    private int tasks;

    /** A task passed that was expected to take this long, and took so long. */
    void passed(TaskEstimate expected, Duration ran) {
        if (!expected.known()) {
            return;
        }
        long usual = expected.usual().toMillis() + UNSTEADY_MILLIS;
        double ratio = (ran.toMillis() + UNSTEADY_MILLIS) / (double) usual;
        last[tasks++ % TASKS] = Math.clamp(Math.round(ratio * PLAIN), 1, Pace.MOST_SLOWNESS);
        tasks = tasks == 2 * TASKS ? TASKS : tasks;
    }

    /** In thousandths of the usual time; 0 while no task has passed. */
    int thousandths() {
        int[] sorted = Arrays.copyOf(last, Math.min(tasks, TASKS));
        Arrays.sort(sorted);
        return sorted.length == 0 ? 0 : (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    /** For the steps of a pod with so many slots. */
    Pace pace(int slots) {
        return new Pace(thousandths(), Math.clamp(slots, 1, Pace.MOST_SLOTS));
    }

    /** Its speed in thousandths, the usual one while no task has passed. */
    int speedMilli() {
        int slowness = thousandths();
        return slowness == 0 ? PLAIN : PLAIN * PLAIN / slowness;
    }
}
