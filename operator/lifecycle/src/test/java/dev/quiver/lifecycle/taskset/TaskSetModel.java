package dev.quiver.lifecycle.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.TaskFailure;

/** What a TaskSet must be, in the simplest words: where each task is, and the counters that follow. */
final class TaskSetModel {

    final TaskSetLimits limits;
    final Map<Long, Object> held = new HashMap<>();
    final Set<Long> passed = new HashSet<>();
    final Set<Long> failed = new HashSet<>();
    final Map<Long, Integer> fails = new HashMap<>();
    final Map<Long, Integer> losses = new HashMap<>();
    final Set<Long> delayed = new HashSet<>();
    TaskSetStatus status = TaskSetStatus.RUNNING;
    long total;
    boolean closed;
    long trials;
    long lost;

    TaskSetModel(TaskSetLimits limits, long total, boolean closed) {
        this.limits = limits;
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
                        && !(broke.retry() instanceof Retry.Never)
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
            case Settlement.Failed broke -> {
                trials++;
                int tries = fails.merge(id, 1, Integer::sum);
                if (tries >= limits.maxTrials() || broke.retry() instanceof Retry.Never) {
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

    void lose(long id, boolean started) {
        held.remove(id);
        if (!status.isFinal() && started) {
            lost++;
            if (losses.merge(id, 1, Integer::sum) >= limits.maxLost()) {
                failed.add(id);
            }
        }
    }

    void claim(Claim claim, Object holder) {
        assertThat(status).as("only a running set gives tasks out").isEqualTo(TaskSetStatus.RUNNING);
        assertThat(World.id(claim)).isBetween(0L, total - 1);
        assertThat(held.put(World.id(claim), holder))
                .as("task %d was free", World.id(claim))
                .isNull();
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
        if (limits.maxFailedTasks() > 0 && failed.size() > limits.maxFailedTasks()) {
            status = TaskSetStatus.FAILED;
        } else if (closed && passed.size() + failed.size() == total) {
            status = failed.isEmpty() ? TaskSetStatus.SUCCEEDED : TaskSetStatus.FAILED;
        }
    }

    /** What a step could claim. */
    long claimable() {
        return status.isFinal() ? 0 : queued() - delayed.size();
    }

    long queued() {
        return status.isFinal() ? 0 : total - held.size() - passed.size() - failed.size();
    }

    void check(TaskSetSnapshot seen) {
        assertThat(seen.status()).isEqualTo(status);
        assertThat(seen.succeeded()).as("succeeded").isEqualTo(passed.size());
        assertThat(seen.failed()).as("failed").isEqualTo(failed.size());
        assertThat(seen.trials()).as("trials").isEqualTo(trials);
        assertThat(seen.lost()).as("lost").isEqualTo(lost);
        assertThat(seen.running()).as("running").isEqualTo(status.isFinal() ? 0 : held.size());
        assertThat(seen.queued()).as("queued").isEqualTo(queued());
        assertThat(seen.total()).as("total").isEqualTo(total);
        assertThat(seen.failures().size()).isLessThanOrEqualTo(8);
        assertThat(seen.failures().stream().filter(TaskFailure::last).count()).isEqualTo(Math.min(8, failed.size()));
    }
}
