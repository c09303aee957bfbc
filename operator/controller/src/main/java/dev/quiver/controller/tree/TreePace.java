package dev.quiver.controller.tree;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.quiver.controller.run.ObservedStore;
import dev.quiver.controller.run.RunPace;
import dev.quiver.crds.v1alpha1.Reason;
import dev.quiver.crds.v1alpha1.TreeReason;

/**
 * The time until the next reconcile of a run that is a tree, if no event wakes it before. Deadlines and times of start are
 * commands in Redis, whose effect is a change of the tree. Pure.
 */
public final class TreePace {

    /** Other programs report nothing. */
    private static final Duration FOREIGN = Duration.ofSeconds(2);

    /** Redis may take the tree now. */
    private static final Duration AGAIN = Duration.ofSeconds(5);

    private TreePace() {}

    /**
     * The shortest wait of the run.
     *
     * @param statusTurn when the status may be written; absent when it was written
     * @param storeUp whether Redis can be used, as of the operator's last look at it
     * @param others waits of the kind
     */
    public static Duration next(
            TreeView view,
            TreeActions.Applied applied,
            Optional<Duration> statusTurn,
            boolean storeUp,
            List<Optional<Duration>> others) {
        boolean over = applied.plan() instanceof TreePlan.Conclude
                || (view.recurring()
                        ? ScheduleStatus.outcome(view).isPresent()
                        : view.tree().filter(ObservedTree::over).isPresent());
        if (over && statusTurn.isEmpty()) {
            return RunPace.AT_ONCE;
        }
        List<Optional<Duration>> waits = new ArrayList<>(others);
        waits.add(statusTurn);
        waits.add(Optional.of(FOREIGN)
                .filter(_ -> view.layout() instanceof TreeLayout.Foreign
                        && view.tree().isPresent()));
        waits.add(Optional.of(AGAIN)
                .filter(_ -> applied.plan() instanceof TreePlan.Hold(Reason reason, String _)
                        && reason == TreeReason.Accepting));
        waits.add(Optional.of(RunPace.STORE).filter(_ -> storeUp && storeBehind(view, applied)));
        return RunPace.soonest(waits);
    }

    /** Whether Redis did not answer, or does not have the present spec yet. */
    private static boolean storeBehind(TreeView view, TreeActions.Applied applied) {
        boolean steered = applied.plan() instanceof TreePlan.Steer
                || applied.plan() instanceof TreePlan.Recur recur
                        && recur.withheld().isEmpty();
        boolean unsynced = steered && !applied.synced();
        return unsynced || view.store() instanceof ObservedStore.Away<?>;
    }
}
