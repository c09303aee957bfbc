package dev.quiver.controller.mapreduce;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import dev.quiver.controller.run.RunEvents;
import dev.quiver.controller.status.Event;
import dev.quiver.controller.tree.TreeEvents;
import dev.quiver.crds.v1alpha1.MapReduceJobReason;
import dev.quiver.crds.v1alpha1.MapReduceJobStatus;

/** The Events about a job, from the changes of its status. Pure. */
final class JobEvents {

    private static final Set<String> WAITS_FOR_A_PERSON = TreeEvents.waitingForAPerson(
            MapReduceJobReason.InputNotFound, MapReduceJobReason.PrefixNotGranted, MapReduceJobReason.SpecInvalid);

    private JobEvents() {}

    /** Events of a changed status, to be written after the status. */
    static List<Event> of(MapReduceJobStatus before, MapReduceJobStatus after) {
        List<Event> events = new ArrayList<>();
        if (before.state() == null && after.state() != null) {
            events.add(Event.normal("Accepted", "The job was accepted."));
        }
        if (before.chunks() == null && after.chunks() != null) {
            long chunks = after.chunks().total();
            events.add(Event.normal("Mapped", chunks == 1 ? "There is 1 chunk." : "There are " + chunks + " chunks."));
        }
        events.addAll(RunEvents.of(before.conditions(), after.conditions(), WAITS_FOR_A_PERSON));
        return events;
    }
}
