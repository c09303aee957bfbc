package dev.quiver.lifecycle.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;

import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.TrialFailure;

/** The model of a TaskSet in the simplest words: where each task is, and the counters that follow. */
final class TaskSetModel {

    final TaskSetLimits limits;
    final Map<Long, Object> held = new HashMap<>();
    final Set<Long> passed = new HashSet<>();
    final Set<Long> pending = new HashSet<>();
    final Set<Long> muted = new HashSet<>();
    final Set<Long> failed = new HashSet<>();
    final Map<Long, Integer> fails = new HashMap<>();
    final Map<Long, Integer> losses = new HashMap<>();
    final Set<Long> delayed = new HashSet<>();

    /** Tasks that some worker had. */
    final Set<Long> given = new HashSet<>();

    /** Estimates of those that an order has, by their numbers. */
    List<Integer> millis = List.of();

    TaskSetState status = TaskSetState.RUNNING;
    long total;
    boolean closed;
    int maxParallel;
    boolean broken;
    long trials;
    long lost;

    TaskSetModel(TaskSetLimits limits, long total, boolean closed) {
        this.limits = limits;
        this.maxParallel = limits.maxParallelTasks();
        this.total = total;
        this.closed = closed;
    }

    /** The verdict that a settlement must get. */
    StepCall.Verdict expected(Settlement settlement) {
        if (status.isFinal()) {
            return StepCall.Verdict.VOID;
        }
        long id = World.id(settlement.claim());
        boolean again = settlement instanceof Settlement.Failed broke
                        && !muted.contains(id)
                        && !isLast(broke.retry())
                        && fails.getOrDefault(id, 0) + 1 < limits.maxTrials()
                || settlement instanceof Settlement.Lost && losses.getOrDefault(id, 0) + 1 < limits.maxLost();
        return again ? StepCall.Verdict.RETRIED : StepCall.Verdict.COUNTED;
    }

    void settle(Settlement settlement) {
        long id = World.id(settlement.claim());
        if (status.isFinal()) {
            return;
        }
        assertThat(held.remove(id)).as("task %d was held", id).isNotNull();
        switch (settlement) {
            case Settlement.Passed done -> {
                trials++;
                assertThat(passed.add(id)).as("task %d passes once", id).isTrue();
            }
            case Settlement.Pending skipped -> {
                trials++;
                endPending(id);
            }
            case Settlement.Failed broke
            when muted.contains(id) -> {
                trials++;
                endPending(id);
            }
            case Settlement.Failed broke -> {
                trials++;
                broken |= broke.retry() instanceof Retry.EndsSource;
                int tries = fails.merge(id, 1, Integer::sum);
                if (tries >= limits.maxTrials() || isLast(broke.retry())) {
                    failed.add(id);
                } else if (broke.retry() instanceof Retry.After) {
                    delayed.add(id);
                }
            }
            case Settlement.Lost gone -> lose(id, true);
            case Settlement.Returned back -> {}
            case Settlement.Moved moved -> throw new IllegalStateException();
        }
    }

    private void endPending(long id) {
        assertThat(passed.add(id)).as("task %d passes once", id).isTrue();
        pending.add(id);
    }

    private static boolean isLast(Retry retry) {
        return retry instanceof Retry.Never || retry instanceof Retry.EndsSource;
    }

    void lose(long id, boolean started) {
        held.remove(id);
        if (!status.isFinal() && started) {
            lost++;
            if (losses.merge(id, 1, Integer::sum) >= limits.maxLost()) {
                if (muted.contains(id)) {
                    endPending(id);
                } else {
                    failed.add(id);
                }
            }
        }
    }

    void claim(Claim claim, Object holder) {
        assertThat(status).as("only a running set gives tasks out").isEqualTo(TaskSetState.RUNNING);
        assertThat(World.id(claim)).isBetween(0L, total - 1);
        assertThat(held.put(World.id(claim), holder))
                .as("task %d was free", World.id(claim))
                .isNull();
        given.add(World.id(claim));
        assertThat(claim.task().estimate().map(estimate -> estimate.usual().toMillis()))
                .as("estimate of task %d", World.id(claim))
                .isEqualTo(
                        World.id(claim) < millis.size()
                                ? Optional.of(millis.get((int) World.id(claim)).longValue())
                                : Optional.empty());
        assertThat(delayed).as("tasks whose time has not come").doesNotContain(World.id(claim));
        assertThat(passed.contains(World.id(claim)) || failed.contains(World.id(claim)))
                .as("task %d was undecided", World.id(claim))
                .isFalse();
        assertThat(claim.task().trial())
                .isEqualTo(fails.getOrDefault(World.id(claim), 0) + losses.getOrDefault(World.id(claim), 0) + 1);
    }

    /** After all settlements of a call, or all losses of a batch. */
    void decide() {
        if (status.isFinal()) {
            return;
        }
        boolean tooMany = limits.maxFailedTasks() == TaskSetLimits.FAIL_FAST
                ? !failed.isEmpty()
                : limits.maxFailedTasks() > 0 && failed.size() > limits.maxFailedTasks();
        if (broken || tooMany) {
            status = TaskSetState.FAILED;
        } else if (closed && passed.size() + failed.size() == total) {
            status = failed.isEmpty() ? TaskSetState.SUCCEEDED : TaskSetState.FAILED;
        }
    }

    /** The tasks that a step could claim. */
    long claimable() {
        long early = !millis.isEmpty() && !closed && !status.isFinal() ? total - given.size() : 0;
        long waiting = queued() - delayed.size() - early;
        long most = maxParallel == 0 ? waiting : Math.max(0, maxParallel - held.size());
        return status.isFinal() ? 0 : Math.min(waiting, most);
    }

    long queued() {
        return status.isFinal() ? 0 : total - held.size() - passed.size() - failed.size();
    }

    /** The time of those tasks of the order that nobody had yet. */
    long freshMillis() {
        return LongStream.range(0, millis.size())
                .filter(task -> !given.contains(task))
                .map(task -> millis.get((int) task))
                .sum();
    }

    void check(TaskSetSnapshot seen) {
        assertThat(seen.status()).isEqualTo(status);
        assertThat(seen.succeeded()).as("succeeded").isEqualTo(passed.size());
        assertThat(seen.pending()).as("pending").isEqualTo(pending.size());
        assertThat(seen.failed()).as("failed").isEqualTo(failed.size());
        assertThat(seen.trials()).as("trials").isEqualTo(trials);
        assertThat(seen.lost()).as("lost").isEqualTo(lost);
        assertThat(seen.running()).as("running").isEqualTo(status.isFinal() ? 0 : held.size());
        assertThat(seen.queued()).as("queued").isEqualTo(queued());
        assertThat(seen.total()).as("total").isEqualTo(total);
        assertThat(seen.failures().size()).isLessThanOrEqualTo(8);
        assertThat(seen.failures().stream().filter(TrialFailure::last).count()).isEqualTo(Math.min(8, failed.size()));
    }
}
