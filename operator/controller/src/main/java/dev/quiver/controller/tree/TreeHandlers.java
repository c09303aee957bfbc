package dev.quiver.controller.tree;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import dev.quiver.controller.run.HandlerCondition;
import dev.quiver.controller.run.HandlerCondition.Wanted;
import dev.quiver.controller.status.ConditionStatus;
import dev.quiver.crds.v1alpha1.HandlerReason;

/** Condition {@code HandlerAvailable} of a run with several functions: that of the worst of them. Pure. */
public final class TreeHandlers {

    private TreeHandlers() {}

    /** The condition of the worst; absent for a run of commands. */
    public static Optional<HandlerCondition> of(List<Wanted> wanted, TreeView view) {
        List<HandlerCondition> all = wanted.stream()
                .map(it -> HandlerCondition.of(
                        it, view.pools().get(it.pool()), view.before().conditions(), view.now()))
                .toList();
        return all.stream().min(Comparator.comparing(TreeHandlers::rank)).map(worst -> withOthers(worst, all));
    }

    /**
     * The condition of a run that succeeded before the condition was known: then all its functions were served. Empty
     * when the condition was known.
     */
    public static Optional<HandlerCondition> ofSucceeded(List<Wanted> wanted, TreeView view) {
        List<HandlerCondition> all =
                wanted.stream().map(HandlerCondition::served).toList();
        return HandlerCondition.wasKnown(view.before().conditions())
                ? Optional.empty()
                : all.stream().findFirst().map(first -> withOthers(first, all));
    }

    /** The time after which silent handlers count as not started. */
    public static Optional<Duration> untilOverdue(List<Wanted> wanted, TreeView view) {
        return wanted.stream()
                .map(Wanted::pool)
                .distinct()
                .flatMap(pool ->
                        HandlerCondition.untilOverdue(
                                view.pools().get(pool), view.before().conditions(), view.now())
                                .stream())
                .min(Comparator.naturalOrder());
    }

    private static int rank(HandlerCondition condition) {
        return List.of(ConditionStatus.False, ConditionStatus.Unknown, ConditionStatus.True)
                .indexOf(condition.truth());
    }

    private static HandlerCondition withOthers(HandlerCondition worst, List<HandlerCondition> all) {
        long others = all.stream().filter(it -> it.truth() == worst.truth()).count() - 1;
        if (others == 0) {
            return worst;
        }
        String more = worst.reason() == HandlerReason.HandlerServed
                ? " So it is with " + others + " more of its handlers."
                : " " + others + " more of its handlers are not known to be served.";
        return new HandlerCondition(worst.truth(), worst.reason(), worst.message() + more);
    }
}
