package dev.quiver.controller.run;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.Condition;

import dev.quiver.controller.status.ConditionStatus;
import dev.quiver.controller.status.Conditions;
import dev.quiver.crds.v1alpha1.BlockedReason;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.lifecycle.task.model.Blockage;
import dev.quiver.lifecycle.task.model.Permits;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.text.PrintableText;

/** Condition {@code Blocked}: whether queued work waits for resources, and for which. Absent before the first time. Pure. */
public final class BlockedCondition {

    private static final int QUOTES = 3;

    /** The permits in a message. Others hold them a moment later, which is no reason to write a status. */
    private static final Pattern PERMITS =
            Pattern.compile(", \\d+ of \\d+ (permits held|started in).*?(?=; then |\\.$)");

    private BlockedCondition() {}

    /**
     * Sets it.
     *
     * @param one the word for one of what waits
     */
    public static void set(Blockage blockage, String one, List<Condition> before, Conditions fresh) {
        if (blockage.waiting() > 0) {
            fresh.set(ConditionType.Blocked, ConditionStatus.True, reason(blockage), words(blockage, one, before));
        } else if (Conditions.find(before, ConditionType.Blocked).isPresent()) {
            fresh.set(
                    ConditionType.Blocked,
                    ConditionStatus.False,
                    BlockedReason.NothingMissing,
                    BlockedReason.NothingMissing.sentence());
        }
    }

    /** The reason of the first one. */
    public static BlockedReason reason(Blockage blockage) {
        return blockage.missing().stream()
                .findFirst()
                .map(BlockedCondition::reason)
                .orElse(BlockedReason.ResourceMissing);
    }

    private static BlockedReason reason(Blockage.Missing first) {
        if (first.refused()) {
            return BlockedReason.SchedulingNotSupported;
        }
        return first.permits()
                .map(permits -> permits.window().isPresent() ? BlockedReason.RateLimited : BlockedReason.PermitMissing)
                .orElse(BlockedReason.ResourceMissing);
    }

    /**
     * The first one with its reason, then the others. They are those of the condition before where only the holders of
     * permits, or their number, are others.
     */
    public static String words(Blockage blockage, String one, List<Condition> before) {
        String words = words(blockage, one);
        return Conditions.find(before, ConditionType.Blocked)
                .map(Condition::getMessage)
                .filter(was -> PERMITS.matcher(was)
                        .replaceFirst("")
                        .equals(PERMITS.matcher(words).replaceFirst("")))
                .orElse(words);
    }

    /** The first one with its reason, then the others. */
    static String words(Blockage blockage, String one) {
        if (blockage.missing().isEmpty()) {
            return blockage.waiting() + " " + one
                    + "s wait for resources."; // they are there again since the nodes were read
        }
        Blockage.Missing first = blockage.missing().getFirst();
        String others = blockage.missing().stream()
                .skip(1)
                .map(missing -> PrintableText.line(missing.name(), Rank.NAME_BYTES))
                .collect(Collectors.joining(", "));
        return (blockage.waiting() == 1 ? "1 " + one + " waits for " : blockage.waiting() + " " + one + "s wait for ")
                + PrintableText.line(first.name(), Rank.NAME_BYTES) + ", " + why(first)
                + (others.isEmpty() ? "" : "; then " + others) + ".";
    }

    private static String why(Blockage.Missing missing) {
        if (!missing.declared()) {
            return "which the WorkerPool does not declare in spec.resources";
        }
        if (missing.refused()) {
            return "which has permits, and only Tasks can hold those";
        }
        return missing.permits().map(BlockedCondition::taken).orElseGet(() -> closed(missing));
    }

    private static String taken(Permits permits) {
        if (permits.window().isPresent()) {
            return permits.used() + " of " + permits.most() + " started in the present "
                    + permits.window().get().toSeconds() + " s";
        }
        String holders = permits.holders().stream()
                .map(id -> PrintableText.line(id, Rank.NAME_BYTES))
                .collect(Collectors.joining(", "));
        return permits.used() + " of " + permits.most() + " permits held"
                + (holders.isEmpty() ? "" : " by " + holders)
                + (permits.used() > permits.holders().size() ? " and others" : "");
    }

    private static String closed(Blockage.Missing missing) {
        return "missing"
                + missing.since()
                        .map(at -> " since " + at.truncatedTo(ChronoUnit.SECONDS))
                        .orElse("")
                + missing.closedBy()
                        .map(owner -> ", closed by " + PrintableText.line(owner, Rank.NAME_BYTES))
                        .orElse("");
    }

    /** The names of what is missing, for a status. */
    public static List<String> names(Blockage blockage) {
        return blockage.missing().stream()
                .map(missing -> PrintableText.line(missing.name(), Rank.NAME_BYTES))
                .toList();
    }

    /** How many bytes such names take of a status at most: a name has printable characters alone. */
    public static int bytes(List<String> names) {
        return names.stream().mapToInt(name -> 2 * name.length() + QUOTES).sum();
    }

    /**
     * Since when a run has been seen to wait, for a status; null of one that does not.
     *
     * @param before the time in the status last written, or null
     */
    public static String since(Blockage blockage, String before, Instant now) {
        if (blockage.waiting() == 0) {
            return null;
        }
        return before == null ? now.truncatedTo(ChronoUnit.SECONDS).toString() : before;
    }
}
