package dev.quiver.controller.task;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import dev.quiver.controller.run.RunEvents;
import dev.quiver.controller.status.Event;
import dev.quiver.controller.tree.TreeEvents;
import dev.quiver.crds.v1alpha1.TaskNodeCounts;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TaskStatus;

/** The Events about a Task, from the changes of its status. Pure. */
final class TaskEvents {

    private static final Set<String> WAITS_FOR_A_PERSON =
            TreeEvents.waitingForAPerson(TaskReason.PrefixNotGranted, TaskReason.NotSupported, TaskReason.GraphInvalid);

    /** Ends without success that {@code once} asks for. */
    private static final Set<String> IS_AS_WANTED = Set.of(TaskReason.AlreadyQueued.name(), TaskReason.Replaced.name());

    private TaskEvents() {}

    /** Events of a changed status, to be written after the status. */
    static List<Event> of(TaskStatus before, TaskStatus after) {
        List<Event> events = new ArrayList<>();
        if (before.progress() == null && after.progress() != null) {
            long nodes = total(after.nodes());
            events.add(Event.normal("Accepted", nodes == 1 ? "1 node was accepted." : nodes + " nodes were accepted."));
        }
        RunEvents.of(before.conditions(), after.conditions(), WAITS_FOR_A_PERSON).stream()
                .map(event ->
                        IS_AS_WANTED.contains(event.reason()) ? Event.normal(event.reason(), event.message()) : event)
                .forEach(events::add);
        return events;
    }

    private static long total(TaskNodeCounts is) {
        return is.waiting() + is.idle() + is.startable() + is.locked() + is.restart() + is.finished();
    }
}
