package dev.quiver.controller.taskset;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import dev.quiver.controller.taskset.source.Source;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.history.RunNames;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.OrdinalFeed;
import dev.quiver.lifecycle.ordinals.TaskRendering;
import dev.quiver.lifecycle.taskset.StatusChange;
import dev.quiver.lifecycle.taskset.TaskSetControl;
import dev.quiver.lifecycle.taskset.TaskSetOpening;

/** Brings a run's tasks into Redis. Can be repeated from any point: Redis knows how many tasks it has. */
final class TaskSetIntake {

    /** Characters of names in one entry; a reader takes four times as many bytes. */
    private static final int NAMED_CHARACTERS = 30_000;

    private TaskSetIntake() {}

    /**
     * Opens the run and feeds the tasks that Redis does not have yet. A run that was already open gets the present
     * limits.
     *
     * @param dispatch adds to the opening how the tasks are given out
     * @param namespaceUid of a run that is recorded, see {@link TaskSetOpenings#of}
     * @param recordedHash the hash in the status before; the intake that recorded it may have been interrupted
     * @return the end of the run, if it cannot go on
     */
    static Optional<TaskSetPlan.Conclude> into(
            TaskSetControl control,
            TaskSetView view,
            Source source,
            UnaryOperator<TaskSetOpening> dispatch,
            Optional<String> namespaceUid,
            Optional<String> recordedHash) {
        String uid = view.set().getMetadata().getUid();
        TaskSetControl.OpenOutcome outcome;
        boolean recorded;
        try {
            TaskSetOpening opening = dispatch.apply(TaskSetOpenings.of(view, source, namespaceUid));
            recorded = opening.record().isPresent();
            outcome = control.open(opening);
        } catch (IllegalArgumentException e) {
            // Each field is within its bounds, but their sum is too large.
            return Optional.of(new TaskSetPlan.Conclude(TaskSetReason.SourceInvalid, "spec: " + e.getMessage() + "."));
        }
        if (outcome instanceof TaskSetControl.OpenOutcome.Open open && !open.created()) {
            control.adjust(
                    uid,
                    TaskSetOpenings.maxWorkers(view.spec()),
                    TaskSetOpenings.maxParallel(view.spec()),
                    TaskSetOpenings.deadline(view.spec()));
        }
        return switch (outcome) {
            case TaskSetControl.OpenOutcome.Buried _ ->
                Optional.of(new TaskSetPlan.Conclude(
                        TaskSetReason.StoreLost, "The state of the run was removed from Redis while it went on."));
            case TaskSetControl.OpenOutcome.Open open
            when open.sourceClosed() -> {
                if (recorded) {
                    nameCombinations(control, uid, source);
                }
                yield Optional.empty();
            }
            case TaskSetControl.OpenOutcome.Open open
            when open.fed() > 0
                    && recordedHash.filter(h -> !h.equals(source.hash())).isPresent() -> {
                control.changeStatus(
                        uid, new StatusChange.Fail(TaskSetReason.SourceInvalid.name(), changed(open, source)));
                yield Optional.empty();
            }
            case TaskSetControl.OpenOutcome.Open open -> {
                feed(control, uid, source, open.fed());
                yield Optional.empty();
            }
        };
    }

    /** The tasks of a matrix have no payload that names them. A repeat after an interruption does no harm. */
    private static void nameCombinations(TaskSetControl control, String uid, Source source) {
        if (!(source.kind() instanceof ExecutionSpec.TaskSource.Matrix matrix)) {
            return;
        }
        long all = Math.min(matrix.tasks(), SourceOrder.MOST_COMBINATIONS);
        List<String> page = new ArrayList<>();
        int bytes = 0;
        for (long task = 0; task < all; task++) {
            String name = TaskRendering.name(matrix, task, Optional.empty());
            page.add(name);
            bytes += name.length();
            if (page.size() == HistoryBounds.NAMES || bytes > NAMED_CHARACTERS || task == all - 1) {
                control.name(uid, new RunNames(source.hash(), task + 1 - page.size(), page, List.of()));
                page = new ArrayList<>();
                bytes = 0;
            }
        }
    }

    private static void feed(TaskSetControl control, String uid, Source source, long fed) {
        List<String> payloads = source.payloads();
        String hash = source.hash();
        long offset = fed;
        do {
            int from = (int) Math.min(offset, payloads.size());
            int to = Math.min(payloads.size(), from + TaskSetControl.FEED_BATCH);
            RunNames names = new RunNames(hash, from, names(source, from, to), List.of());
            OrdinalFeed.Outcome outcome =
                    control.feed(uid, offset, payloads.subList(from, to), to == payloads.size(), Optional.of(names));
            if (!(outcome instanceof OrdinalFeed.Outcome.Fed(long known))) {
                // Closed, gone, or a gap after a loss: the next reconcile sees which.
                return;
            }
            if (to == payloads.size()) {
                return;
            }
            offset = known;
        } while (true);
    }

    private static List<String> names(Source source, int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> TaskRendering.name(
                        source.kind(), i, Optional.of(source.payloads().get(i))))
                .toList();
    }

    private static String changed(TaskSetControl.OpenOutcome.Open open, Source source) {
        return "The source changed while it was being read: " + open.fed()
                + " tasks of the earlier one had been accepted, the present one has "
                + source.payloads().size() + ".";
    }
}
