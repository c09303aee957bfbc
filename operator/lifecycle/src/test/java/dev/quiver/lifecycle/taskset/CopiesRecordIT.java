package dev.quiver.lifecycle.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.stream.RecordedEntries;
import dev.quiver.lifecycle.keyspace.LeaseTimes;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;
import dev.quiver.lifecycle.ordinals.RunRecord;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.TrialFacts;
import dev.quiver.lifecycle.worker.WorkerSession;

/** The words of the record about a task whose last trial fails while a copy of it runs. */
class CopiesRecordIT {

    private static final LeaseTimes BY_HAND = new LeaseTimes(Duration.ofMinutes(1), Duration.ofHours(1), Duration.ZERO);

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private RedisStore store;
    private World world;
    private WorkerSession idle;
    private Claim copy;

    @BeforeEach
    void theLastTrialFailsBesideACopy() {
        store = REDIS.open();
        Lifecycle lifecycle = new Lifecycle(store, BY_HAND);
        world = new World(lifecycle);
        lifecycle.health(world.keyspace, 1).recording(1 << 20).beat();
        WorkerSession holder = world.session("holder");
        idle = world.session("idle");
        world.control.open(TaskSetOpening.of(
                        CopiesRig.SET,
                        "p",
                        World.spec(new TaskSource.Count(2)).speculating(true).recorded(Optional.of(Recording.DEFAULT)),
                        World.limits(1, 3, 0))
                .recorded(Optional.of(new RunRecord(RunOpening.of(RunKind.TASK_SET, "nightly", 1000, 2), false))));
        Claim first = claim(holder);
        settle(holder, World.passed(first));
        Claim claim = claim(holder);
        CopiesRig.attend(holder, List.of(claim), CopiesRig.LATE);
        copy = claim(idle);
        assertThat(copy.copy()).isTrue();
        Settlement.Failed failed = (Settlement.Failed) World.failed(claim);
        settle(holder, new Settlement.Failed(claim, failed.runTime(), failed.failure(), Retry.AT_ONCE, facts()));
    }

    @AfterEach
    void close() {
        world.close();
        store.close();
    }

    private static TrialFacts facts() {
        return new TrialFacts(
                0,
                System.nanoTime(),
                Optional.of(new TrialFacts.Detail(Optional.empty(), 0, new byte[0], new byte[0], Optional.empty(), 0)));
    }

    private static Claim claim(WorkerSession session) {
        return CopiesRig.step(session, List.of(), 1).claims().getFirst();
    }

    private static void settle(WorkerSession session, Settlement settlement) {
        CopiesRig.step(session, List.of(settlement), 0);
    }

    private RecordedEntries entries() {
        return RecordedEntries.of(store, world.keyspace);
    }

    private String failures() {
        return entries().rows().stream()
                .filter(row -> row.task() == 1)
                .map(row -> Character.toString(row.verdict()))
                .reduce("", String::concat);
    }

    @Test
    void theTaskHasFailedForTheRecordThoughTheCopyStillRuns() {
        assertThat(failures()).isEqualTo("c");
        assertThat(world.look(CopiesRig.SET).status()).isEqualTo(TaskSetState.RUNNING);
        settle(idle, new Settlement.Returned(copy));
        assertThat(world.look(CopiesRig.SET).status()).isEqualTo(TaskSetState.FAILED);
        assertThat(failures()).isEqualTo("c");
    }

    @Test
    void theLossOfTheCopyDoesNotTakeThePlaceOfTheFailure() {
        store.ask(redis -> redis.zadd(world.keyspace.sessions(), 1, idle.id()));
        world.reaper.tick();
        assertThat(world.look(CopiesRig.SET).status()).isEqualTo(TaskSetState.FAILED);
        assertThat(entries().of(HistoryEntry.Reaped.class).getFirst().losses())
                .singleElement()
                .returns(1L, HistoryEntry.Loss::task)
                .returns(false, HistoryEntry.Loss::ended);
    }
}
