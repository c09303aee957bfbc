package dev.quiver.lifecycle.task.commands;

import dev.quiver.lifecycle.task.keys.TaskKeys;

/**
 * The run of a pool's queue in an hour, in which the record has trees without a resource. Its tasks are known by their
 * ids, see {@link dev.quiver.lifecycle.history.QueueTaskNumber}. Pure.
 */
final class QueueRun {

    private static final String PREFIX = "queue:";

    private QueueRun() {}

    /** Whether the record of this run ends with its hour, and not with a tree. */
    static boolean is(String run) {
        int hour = run.lastIndexOf(':');
        return run.startsWith(PREFIX)
                && hour > PREFIX.length()
                && TaskKeys.isPool(run.substring(PREFIX.length(), hour))
                && run.substring(hour + 1).matches("[0-9]{1,9}");
    }
}
