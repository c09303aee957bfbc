package dev.quiver.controller.task;

import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.controller.status.ConditionStatus;
import dev.quiver.controller.status.Conditions;
import dev.quiver.crds.v1alpha1.BlockedReason;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.lifecycle.task.model.Blockage;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.text.PrintableText;

/** Condition {@code Blocked}: whether queued nodes wait for resources, and for which. Absent before the first time. Pure. */
final class BlockedCondition {

    private BlockedCondition() {}

    static void set(Blockage blockage, List<Condition> before, Conditions fresh) {
        if (blockage.waiting() > 0) {
            fresh.set(ConditionType.Blocked, ConditionStatus.True, BlockedReason.ResourceMissing, words(blockage));
        } else if (Conditions.find(before, ConditionType.Blocked).isPresent()) {
            fresh.set(
                    ConditionType.Blocked,
                    ConditionStatus.False,
                    BlockedReason.NothingMissing,
                    BlockedReason.NothingMissing.sentence());
        }
    }

    /** The first one with its reason, then the others. */
    static String words(Blockage blockage) {
        if (blockage.missing().isEmpty()) {
            return blockage.waiting() + " nodes wait for resources."; // they are there again since the nodes were read
        }
        Blockage.Missing first = blockage.missing().getFirst();
        String others = blockage.missing().stream()
                .skip(1)
                .map(missing -> PrintableText.line(missing.name(), Rank.NAME_BYTES))
                .collect(Collectors.joining(", "));
        return (blockage.waiting() == 1 ? "1 node waits for " : blockage.waiting() + " nodes wait for ")
                + PrintableText.line(first.name(), Rank.NAME_BYTES) + ", " + why(first)
                + (others.isEmpty() ? "" : "; then " + others) + ".";
    }

    private static String why(Blockage.Missing missing) {
        if (!missing.declared()) {
            return "which the WorkerPool does not declare in spec.resources";
        }
        return "missing"
                + missing.since()
                        .map(at -> " since " + at.truncatedTo(ChronoUnit.SECONDS))
                        .orElse("")
                + missing.closedBy()
                        .map(owner -> ", closed by " + PrintableText.line(owner, Rank.NAME_BYTES))
                        .orElse("");
    }
}
