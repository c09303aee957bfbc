package dev.quiver.controller.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.controller.status.Announcement;
import dev.quiver.controller.status.Conditions;
import dev.quiver.crds.v1alpha1.ConditionType;

/**
 * What a person should be told about a run of any kind, from how its conditions changed: its end, what it waits for a
 * person for, suspend and resume. Never about a task, nor about Redis being away, which the condition of every run says already. Pure.
 */
public final class RunEvents {

    private RunEvents() {}

    /**
     * How its conditions changed; to be told once they are written.
     *
     * @param waitsForAPerson reasons of a run that goes on for which somebody has to do something
     */
    public static List<Announcement> of(List<Condition> before, List<Condition> after, Set<String> waitsForAPerson) {
        List<Announcement> told = new ArrayList<>();
        Optional<Condition> was = Conditions.find(before, ConditionType.Finished);
        Conditions.find(after, ConditionType.Finished)
                .filter(is -> was.filter(w -> same(w, is)).isEmpty())
                .ifPresent(is -> finished(after, is, waitsForAPerson).ifPresent(told::add));
        Conditions.find(after, ConditionType.HandlerAvailable)
                .filter(is -> "False".equals(is.getStatus()))
                .filter(is -> Conditions.find(before, ConditionType.HandlerAvailable)
                        .filter(w -> same(w, is))
                        .isEmpty())
                .ifPresent(is -> told.add(Announcement.warning(is.getReason(), is.getMessage())));
        boolean rested = Conditions.isTrue(before, ConditionType.Suspended);
        boolean rests = Conditions.isTrue(after, ConditionType.Suspended);
        boolean over = Conditions.isTrue(after, ConditionType.Finished);
        if (rested != rests && !over) {
            told.add(
                    rests
                            ? Announcement.normal("Suspended", "The run was suspended.")
                            : Announcement.normal("Resumed", "The run was resumed."));
        }
        return told;
    }

    private static Optional<Announcement> finished(
            List<Condition> after, Condition finished, Set<String> waitsForAPerson) {
        if ("True".equals(finished.getStatus())) {
            boolean good = Conditions.isTrue(after, ConditionType.Succeeded);
            return Optional.of(new Announcement(!good, finished.getReason(), finished.getMessage()));
        }
        return waitsForAPerson.contains(finished.getReason())
                ? Optional.of(Announcement.warning(finished.getReason(), finished.getMessage()))
                : Optional.empty();
    }

    private static boolean same(Condition one, Condition other) {
        return one.getStatus().equals(other.getStatus()) && one.getReason().equals(other.getReason());
    }
}
