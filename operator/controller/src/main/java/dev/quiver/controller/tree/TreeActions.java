package dev.quiver.controller.tree;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ObjIntConsumer;

import io.fabric8.kubernetes.api.model.HasMetadata;

import dev.quiver.controller.status.Event;
import dev.quiver.controller.store.RunRecording;
import dev.quiver.controller.store.StoreCalls;
import dev.quiver.controller.store.StoreState;
import dev.quiver.crds.v1alpha1.Reason;
import dev.quiver.crds.v1alpha1.TreeReason;
import dev.quiver.crds.v1alpha1.TreeSpec;
import dev.quiver.crds.v1alpha1.TreeStatus;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.schedule.TaskSchedules;

/**
 * Carries out the plan of a run that is a tree. Every act can be repeated. Thread-safe.
 *
 * @param <V> the facts of a kind
 * @param calls to Redis
 * @param recording whose runs are recorded
 * @param kind of the runs
 */
public record TreeActions<V extends TreeView>(StoreCalls calls, RunRecording recording, Kind<V> kind) {

    /**
     * The differences between kinds.
     *
     * @param trees those of a keyspace and of a layout that has a place
     * @param schedules those of a keyspace
     * @param intend writes the status before a tree is created, for the facts that cannot be found out after a crash;
     *     gets the number of resubmissions
     * @param publish writes an Event about a run
     * @param invalid the reason of a spec that can never be run
     */
    public record Kind<V extends TreeView>(
            BiFunction<Keyspace, TreeLayout, Trees> trees,
            Function<Keyspace, TaskSchedules> schedules,
            ObjIntConsumer<V> intend,
            BiConsumer<V, Event> publish,
            Reason invalid) {

        Trees trees(V view) {
            return trees.apply(view.keyspace(), view.layout());
        }

        /** The plan for a spec each of whose fields is within its bounds, but not all of them together. */
        TreePlan.Conclude tooLarge(IllegalArgumentException e) {
            return new TreePlan.Conclude(invalid, "spec: " + e.getMessage() + ".");
        }
    }

    /**
     * The result.
     *
     * @param plan the plan, as changed by the act
     * @param changed whether Redis is to be asked again before the status is computed
     * @param resubmitted whether the run began anew after a loss
     * @param synced whether Redis has the limits and the state of the spec now
     */
    public record Applied(TreePlan plan, boolean changed, boolean resubmitted, boolean synced) {
        /** No call was made. */
        public static Applied asPlanned(TreePlan plan) {
            return new Applied(plan, false, false, false);
        }
    }

    /** Does what the plan asks for. */
    public Applied apply(V view, TreePlan plan) {
        return switch (plan) {
            case TreePlan.Create create -> create(view, create);
            case TreePlan.Steer steer -> steer(view, steer);
            case TreePlan.Recur recur -> schedules().recur(view, recur);
            case TreePlan.Retire retire -> retire(view, retire);
            case TreePlan.Conclude _, TreePlan.Hold _ -> Applied.asPlanned(plan);
        };
    }

    private ScheduleActions<V> schedules() {
        return new ScheduleActions<>(calls, new RecordedTrees(recording), kind);
    }

    private Applied create(V view, TreePlan.Create create) {
        int resubmissions = TreeId.resubmissions(view.before()) + (create.resubmitted() ? 1 : 0);
        if (create.resubmitted() || view.placeIsNew()) {
            kind.intend().accept(view, resubmissions);
        }
        Duration delay = resubmissions == 0 || view.before().startTime() == null ? delay(view) : Duration.ZERO;
        Optional<TreePlan> otherwise;
        try {
            TaskTree made = create.tree().of(TreeId.of(view.run(), resubmissions), delay);
            TaskTree tree = new RecordedTrees(recording).recorded(view, resubmissions > 0 ? made.again() : made);
            otherwise = create(view, tree, resubmissions);
        } catch (IllegalArgumentException e) {
            return Applied.asPlanned(kind.tooLarge(e));
        }
        return otherwise
                .map(plan -> new Applied(plan, true, false, false))
                .orElseGet(() -> new Applied(create, true, create.resubmitted(), true));
    }

    /** The plan after a creation that came to nothing. */
    private Optional<TreePlan> create(V view, TaskTree tree, int resubmissions) {
        Trees trees = kind.trees(view);
        return calls.ask(
                () -> {
                    if (resubmissions > 0) {
                        TreeKeys.drop(trees, TreeId.of(view.run(), resubmissions - 1));
                    }
                    return trees.create(tree) == Trees.Created.BURIED
                            ? Optional.of(new TreePlan.Conclude(
                                    TreeReason.StoreLost,
                                    "The state of the run was removed from Redis while it went on."))
                            : Optional.empty();
                },
                away -> Optional.of(refused(away)));
    }

    private Duration delay(V view) {
        return view.spec()
                .startsNotBefore()
                .map(time -> Duration.between(view.now(), time))
                .filter(Duration::isPositive)
                .or(() -> view.spec().postponed())
                .orElse(Duration.ZERO);
    }

    /** The plan while Redis does not take the work. */
    public static TreePlan.Hold refused(StoreState.Away away) {
        return new TreePlan.Hold(
                TreeReason.Accepting,
                "Redis does not take the work (" + away.reason() + "), it is sent again until it does: "
                        + away.message());
    }

    private Applied steer(V view, TreePlan.Steer steer) {
        String tree = TreeId.of(view.run(), view.before());
        boolean synced = calls.tryRun(() -> {
            Trees trees = kind.trees(view);
            if (steer.limit()) {
                trees.limit(tree, view.spec().activeDeadline());
            }
            steer.changes().forEach(change -> trees.change(tree, change));
            steer.ranks().ifPresent(maker -> rank(view, trees, maker, tree));
        });
        boolean changed = !synced || steer.limit() || !steer.changes().isEmpty();
        return new Applied(steer, changed, false, synced);
    }

    /** A spec that has become too large goes on with the ranks that it has. */
    private void rank(V view, Trees trees, TreePlan.Maker maker, String tree) {
        TaskTree shape;
        try {
            shape = maker.of(tree, Duration.ZERO);
        } catch (IllegalArgumentException e) {
            kind.publish().accept(view, TreeEvents.ranksKept(e.getMessage()));
            return;
        }
        trees.rank(shape);
    }

    private Applied retire(V view, TreePlan.Retire retire) {
        if (retire.stillGoing() && view.recurring()) {
            schedules().end(view);
        } else if (retire.stillGoing()) {
            calls.tryRun(() -> kind.trees(view).change(TreeId.of(view.run(), view.before()), Trees.Change.CANCEL));
        }
        return Applied.asPlanned(retire);
    }

    /**
     * Sets tombstones and deletes the keys of a run, so that late calls of workers are refused. The record hears of it where
     * it is to go as well. Keys under a prefix that the namespace is not granted any more stay.
     *
     * @param layout of its trees
     * @return false without Redis, and while another call is needed
     */
    public boolean drop(HasMetadata run, TreeSpec spec, TreeStatus status, Keyspace keyspace, TreeLayout layout) {
        boolean nothing = !(layout instanceof TreeLayout.Own) && status.grantedPrefix() == null;
        return nothing
                || layout instanceof TreeLayout.Withheld
                || drop(run, spec, status, keyspace, kind.trees().apply(keyspace, layout));
    }

    private boolean drop(HasMetadata run, TreeSpec spec, TreeStatus status, Keyspace keyspace, Trees trees) {
        Optional<TaskSchedules> schedules =
                spec.recurring().map(_ -> kind.schedules().apply(keyspace));
        return calls.ask(
                () -> {
                    List<String> ids = new ArrayList<>();
                    boolean gone = schedules
                            .map(all -> TreeKeys.drop(all, run.getMetadata().getUid()))
                            .orElse(true);
                    for (int i = 0; i <= TreeId.resubmissions(status); i++) {
                        ids.add(TreeId.of(run, i));
                        gone &= TreeKeys.drop(trees, ids.getLast());
                    }
                    if (gone && spec.historyOrDefault().forgets()) {
                        recording.deleted(keyspace, ids);
                    }
                    return gone;
                },
                _ -> false);
    }
}
