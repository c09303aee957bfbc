package dev.quiver.controller.tree;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.quiver.controller.status.Event;
import dev.quiver.crds.v1alpha1.Reason;
import dev.quiver.crds.v1alpha1.TreeReason;

/** The Events that all runs have that are trees. Pure. */
public final class TreeEvents {

    private TreeEvents() {}

    /** The Event of a resubmission, to be written with the act: no later status shows it. */
    public static Event resubmitted(String noun) {
        return Event.warning(
                TreeReason.StoreLost.name(),
                "Redis had lost the state of " + noun + "; it was started again (spec.storeLossPolicy: Resubmit).");
    }

    /** The Event of a changed spec whose tasks keep their places, to be written with the act: no status shows it. */
    static Event ranksKept(String why) {
        return Event.warning(
                "RanksKept",
                "The waiting tasks keep the priorities and tags that they had before the spec changed: " + why + ".");
    }

    /** The reasons with which a run waits for a person: those of every tree, and those of a kind. */
    public static Set<String> waitingForAPerson(Reason... ofKind) {
        return Stream.concat(Stream.of(TreeReason.WorkerPoolNotFound, TreeReason.ScheduleInvalid), Stream.of(ofKind))
                .map(Reason::name)
                .collect(Collectors.toUnmodifiableSet());
    }
}
