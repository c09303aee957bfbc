package dev.quiver.controller.tree;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

import dev.quiver.crds.v1alpha1.TaskError;
import dev.quiver.crds.v1alpha1.TaskState;
import dev.quiver.lifecycle.task.model.NodeError;
import dev.quiver.lifecycle.task.model.TreeState;

/** Values of Redis in the words of a status. Pure. */
public final class StatusTexts {

    private StatusTexts() {}

    /** A time, to the second. */
    public static String time(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /** The state of a node. */
    public static TaskState state(TreeState.State state) {
        return switch (state) {
            case WAITING -> TaskState.WAITING;
            case IDLE -> TaskState.IDLE;
            case STARTABLE -> TaskState.STARTABLE;
            case LOCKED -> TaskState.LOCKED;
            case RESTART -> TaskState.RESTART;
            case FINISHED, FAILED -> TaskState.FINISHED;
        };
    }

    /** How much of a whole is done. */
    public static String progress(long done, long total) {
        return done + "/" + total;
    }

    /** The same in percent, rounded down; 0 of nothing. */
    public static int percent(long done, long total) {
        return total <= 0 ? 0 : (int) Math.clamp(Math.floor(100.0 * done / total), 0, 100);
    }

    /** The first final error of a run, with the name of its node. */
    public static TaskError error(String name, NodeError error) {
        String message = error.message();
        String line = TreeOutcome.lastLine(message);
        return new TaskError(name, error.trial(), error.reason(), line, line.equals(message.strip()) ? null : message);
    }
}
