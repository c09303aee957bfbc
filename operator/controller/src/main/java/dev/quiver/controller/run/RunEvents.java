package dev.quiver.controller.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.status.Event;
import dev.quiver.crds.v1alpha1.ConditionType;

/**
 * The Events about a run of any kind, from the changes of its conditions: its end, a wait for a person, suspend and
 * resume. No Event is about a task. None is about an absent Redis, which the condition of every run shows. Pure.
 */
public final class RunEvents {

    private RunEvents() {}

    /**
     * Events of changed conditions, to be written after these.
     *
     * @param waitsForAPerson reasons of a run that goes on and needs an act of a person
     */
    public static List<Event> of(List<Condition> before, List<Condition> after, Set<String> waitsForAPerson) {
        List<Event> events = new ArrayList<>();
        Optional<Condition> was = Conditions.find(before, ConditionType.Finished);
        Conditions.find(after, ConditionType.Finished)
                .filter(is -> was.filter(w -> same(w, is)).isEmpty())
                .ifPresent(is -> finished(after, is, waitsForAPerson).ifPresent(events::add));
        Conditions.find(after, ConditionType.HandlerAvailable)
                .filter(is -> "False".equals(is.getStatus()))
                .filter(is -> Conditions.find(before, ConditionType.HandlerAvailable)
                        .filter(w -> same(w, is))
                        .isEmpty())
                .ifPresent(is -> events.add(Event.warning(is.getReason(), is.getMessage())));
        boolean wasSuspended = Conditions.isTrue(before, ConditionType.Suspended);
        boolean isSuspended = Conditions.isTrue(after, ConditionType.Suspended);
        boolean over = Conditions.isTrue(after, ConditionType.Finished);
        if (wasSuspended != isSuspended && !over) {
            events.add(
                    isSuspended
                            ? Event.normal("Suspended", "The run was suspended.")
                            : Event.normal("Resumed", "The run was resumed."));
        }
        return events;
    }

    private static Optional<Event> finished(List<Condition> after, Condition finished, Set<String> waitsForAPerson) {
        if ("True".equals(finished.getStatus())) {
            boolean good = Conditions.isTrue(after, ConditionType.Succeeded);
            return Optional.of(new Event(!good, finished.getReason(), finished.getMessage()));
        }
        return waitsForAPerson.contains(finished.getReason())
                ? Optional.of(Event.warning(finished.getReason(), finished.getMessage()))
                : Optional.empty();
    }

    private static boolean same(Condition one, Condition other) {
        return one.getStatus().equals(other.getStatus()) && one.getReason().equals(other.getReason());
    }
}
