package dev.quiver.lifecycle.wires.idoit;

import static dev.quiver.lifecycle.wires.idoit.IdoitWorld.failed;
import static dev.quiver.lifecycle.wires.idoit.IdoitWorld.leaf;
import static dev.quiver.lifecycle.wires.idoit.IdoitWorld.passed;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.QueueTaskNumber;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunNames;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.StepRowsReader;
import dev.quiver.lifecycle.history.stream.RecordedEntries;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.queue.TaskQueues;
import dev.quiver.lifecycle.worker.CallBudget;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.PoolControl;
import dev.quiver.lifecycle.worker.Takeover;

/** Tasks of the wire that Quiver ran are tasks of the run of their pool's hour. */
class IdoitRecordIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private IdoitWorld world;

    @BeforeEach
    void begin() {
        world = new IdoitWorld(REDIS);
        Lifecycle lifecycle = new Lifecycle(world.store);
        lifecycle.health(world.keyspace, 1).recording(1 << 30).beat();
        lifecycle
                .pools(world.keyspace, 1)
                .record(
                        "p",
                        "p-uid",
                        Optional.of(new PoolControl.QueueRecord(
                                Recording.DEFAULT, RunOpening.of(RunKind.QUEUE, "p", 0, 0))));
    }

    @AfterEach
    void end() {
        world.close();
    }

    private RecordedEntries entries() {
        return RecordedEntries.of(world.store, world.keyspace);
    }

    /** Lets the hour of the run pass. */
    private RunEnd ended() {
        String commands = world.keyspace.prefix() + "task:commands";
        List<String> waiting = world.store.ask(redis -> redis.zrange(commands, 0, -1));
        assertThat(waiting).singleElement().asString().startsWith("recorded\tqueue:p:");
        world.store.ask(redis -> redis.zadd(commands, 1, waiting.getFirst()));
        new TaskQueues(world.store, world.keyspace).promote("tasks:", new CallBudget(100));
        return entries().of(HistoryEntry.Ended.class).getFirst().end();
    }

    @Test
    void trialsAreRowsWithTheIdsOfTheirTasks() {
        world.begin("good", leaf("mul", 2));
        world.begin("bad", leaf("mul", 3));
        IdoitWorld.Worker worker = world.worker("p", "mul");
        for (int round = 0; round < 2; round++) {
            for (Claim claim : worker.claim()) {
                boolean good = claim.id().equals("good");
                worker.step(List.of(good ? passed(claim, "1") : failed(claim)), 0);
            }
            world.hurry("restart");
            world.tick("p");
        }
        HistoryEntry.Opened opened = entries().of(HistoryEntry.Opened.class).getFirst();
        assertThat(opened.uid()).matches("queue:p:\\d+");
        assertThat(entries().of(HistoryEntry.Opened.class)).hasSize(1);
        assertThat(entries().rows()).allMatch(row -> row.run().equals(opened.uid()));
        assertThat(entries().rows())
                .filteredOn(row -> row.task() == QueueTaskNumber.number("good"))
                .singleElement()
                .satisfies(row -> assertThat(row.kind()).isEqualTo(StepRowsReader.Kind.PASS));
        assertThat(entries().rows())
                .filteredOn(row -> row.task() == QueueTaskNumber.number("bad"))
                .extracting(row -> row.trial().trial())
                .containsExactly(1, 2);
        assertThat(entries().of(HistoryEntry.Named.class))
                .flatExtracting(named -> named.names().nodes())
                .extracting(RunNames.Node::name)
                .contains("good", "bad");
        RunEnd end = ended();
        assertThat(List.of(end.tasks(), end.succeeded(), end.failed(), end.trials(), end.lost()))
                .containsExactly(2L, 1L, 1L, 3L, 0L);
        Map<String, String> left = world.store.ask(redis -> redis.hgetall(world.keyspace.records()));
        assertThat(left).isEmpty();
    }

    @Test
    void aLossWithItsWorkerIsCounted() {
        world.begin("t", leaf("mul", 2));
        IdoitWorld.Worker dies = world.worker("p", "mul");
        dies.claimOne();
        dies.die();
        assertThat(entries().of(HistoryEntry.Reaped.class))
                .singleElement()
                .satisfies(reaped -> assertThat(reaped.losses()).containsExactly(HistoryEntry.Loss.of("t", 1, false)));
        IdoitWorld.Worker worker = world.worker("p", "mul");
        worker.pass(worker.claimOne(), "1");
        RunEnd end = ended();
        assertThat(List.of(end.tasks(), end.succeeded(), end.trials(), end.lost()))
                .containsExactly(1L, 1L, 1L, 1L);
    }

    @Test
    void aTaskThatEndsForItsLossesHasFailed() {
        world.begin("t", leaf("mul", 2));
        for (int i = 0; i < 5; i++) {
            IdoitWorld.Worker dies = world.worker("p", "mul");
            dies.claimOne();
            dies.die();
        }
        assertThat(world.worker("p", "mul").claim()).isEmpty();
        assertThat(world.task("t").get("error")).contains("WorkerLost");
        assertThat(entries().of(HistoryEntry.Reaped.class))
                .flatExtracting(HistoryEntry.Reaped::losses)
                .containsExactly(
                        HistoryEntry.Loss.of("t", 1, false),
                        HistoryEntry.Loss.of("t", 2, false),
                        HistoryEntry.Loss.of("t", 3, false),
                        HistoryEntry.Loss.of("t", 4, false),
                        HistoryEntry.Loss.of("t", 5, false),
                        HistoryEntry.Loss.earlier("t", 5));
        RunEnd end = ended();
        assertThat(List.of(end.tasks(), end.succeeded(), end.failed(), end.trials(), end.lost()))
                .containsExactly(1L, 0L, 1L, 0L, 5L);
    }

    @Test
    void aTaskThatASuccessorAdoptsIsRecordedAtOnce() {
        world.begin("t", leaf("mul", 2));
        IdoitWorld.Worker worker = world.worker("p", "mul");
        worker.claimOne();
        IdoitWorld.Worker next = worker.successor();
        List<Takeover> running = next.session.orphans().stream()
                .map(orphan -> Takeover.running(orphan, orphan.place().slot(), 9))
                .toList();
        assertThat(next.session.adopt(running))
                .singleElement()
                .satisfies(claim -> assertThat(claim.task().recorded()).isPresent());
    }

    @Test
    void aSettlementWhoseLockWasLostCountsNothing() {
        world.begin("t", leaf("mul", 2));
        IdoitWorld.Worker worker = world.worker("p", "mul");
        Claim claim = worker.claimOne();
        world.hurry("locked");
        world.tick("p");
        worker.pass(claim, "1");
        RunEnd end = ended();
        assertThat(List.of(end.tasks(), end.succeeded(), end.trials(), end.lost()))
                .containsExactly(0L, 0L, 0L, 0L);
    }
}
