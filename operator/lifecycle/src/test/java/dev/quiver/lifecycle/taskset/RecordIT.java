package dev.quiver.lifecycle.taskset;

import static dev.quiver.lifecycle.taskset.World.allPassed;
import static dev.quiver.lifecycle.taskset.World.claim;
import static dev.quiver.lifecycle.taskset.World.count;
import static dev.quiver.lifecycle.taskset.World.failed;
import static dev.quiver.lifecycle.taskset.World.lost;
import static dev.quiver.lifecycle.taskset.World.passed;
import static dev.quiver.lifecycle.taskset.World.step;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.ResultFormat;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunNames;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.StepRowsReader;
import dev.quiver.lifecycle.history.Tails;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;
import dev.quiver.lifecycle.history.stream.RecordedEntries;
import dev.quiver.lifecycle.keyspace.KeyspaceHealth;
import dev.quiver.lifecycle.keyspace.LeaseTimes;
import dev.quiver.lifecycle.keyspace.StoreFacts;
import dev.quiver.lifecycle.ordinals.RunRecord;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.TrialFacts;
import dev.quiver.lifecycle.worker.WorkerPreparation;
import dev.quiver.lifecycle.worker.WorkerSession;

/** The record that the scripts of a TaskSet write, as its reader finds it in a real Redis. */
class RecordIT {

    private static final LeaseTimes SHORT =
            new LeaseTimes(Duration.ofMillis(400), Duration.ofMinutes(1), Duration.ofMillis(10));

    private static final long ROOM = 1 << 30;

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private RedisStore store;
    private Lifecycle lifecycle;
    private World world;

    @BeforeEach
    void connect() {
        store = REDIS.open();
        lifecycle = new Lifecycle(store, SHORT);
        world = new World(lifecycle);
        room(ROOM);
    }

    @AfterEach
    void disconnect() {
        world.close();
        store.close();
    }

    private void room(long bytes) {
        lifecycle.health(world.keyspace, 1).recording(bytes).beat();
    }

    private void open(String uid, long tasks, Recording how) {
        open(uid, tasks, how, false);
    }

    private void open(String uid, long tasks, Recording how, boolean waits) {
        RunOpening run = RunOpening.of(RunKind.TASK_SET, "nightly", 1000, tasks);
        world.control.open(TaskSetOpening.of(uid, "p", count(tasks).recorded(Optional.of(how)), World.limits(2, 3, 0))
                .recorded(Optional.of(new RunRecord(run, waits))));
    }

    private RecordedEntries entries() {
        return RecordedEntries.of(store, world.keyspace);
    }

    private static Settlement passedIn(int slot, Claim claim) {
        return new Settlement.Passed(
                claim,
                Duration.ofMillis(100),
                Optional.empty(),
                Optional.empty(),
                new TrialFacts(slot, System.nanoTime(), Optional.empty()));
    }

    private static TrialFacts detailed(byte[] stdout) {
        return new TrialFacts(
                2,
                System.nanoTime(),
                Optional.of(new TrialFacts.Detail(
                        Optional.of(new TrialRow.Resources(12, 3456)),
                        stdout.length,
                        Tails.pack(stdout, 4096),
                        new byte[0],
                        Optional.of(new TrialRow.Result(ResultFormat.JSON, "{\"a\":1}".getBytes())),
                        0)));
    }

    private static Settlement failedWith(Claim claim, byte[] stdout) {
        Settlement.Failed plain = (Settlement.Failed) failed(claim);
        return new Settlement.Failed(claim, plain.runTime(), plain.failure(), Retry.AT_ONCE, detailed(stdout));
    }

    private RunEnd end(String uid) {
        return entries().of(HistoryEntry.Ended.class).stream()
                .filter(ended -> ended.uid().equals(uid))
                .map(HistoryEntry.Ended::end)
                .reduce((one, other) -> {
                    throw new AssertionError("two ends of " + uid);
                })
                .orElseThrow();
    }

    @Test
    void aRunHasItsOpeningItsTrialsAndItsEnd() throws Exception {
        open("u", 3, Recording.DEFAULT);
        WorkerSession worker = world.session("a");
        List<Claim> claims = claim(worker, "u", 3);
        step(
                worker,
                "u",
                List.of(
                        passedIn(5, claims.get(0)),
                        failedWith(claims.get(1), "it says why".getBytes()),
                        lost(claims.get(2))),
                0);
        List<Claim> again = claim(worker, "u", 2);
        StepCall.Outcome.Done done = step(worker, "u", allPassed(again), 0);
        assertThat(done.verdicts()).containsOnly(StepCall.Verdict.COUNTED);

        RecordedEntries entries = entries();
        assertThat(entries.of(HistoryEntry.Opened.class))
                .singleElement()
                .satisfies(opened -> assertThat(opened.opening().name()).isEqualTo("nightly"));
        List<RecordedEntries.Row> rows = entries.rows();
        assertThat(rows).hasSize(5).allMatch(row -> row.run().equals("u"));
        assertThat(rows.getFirst().kind()).isEqualTo(StepRowsReader.Kind.PASS);
        assertThat(rows.getFirst().slot()).isEqualTo(5);
        assertThat(rows.getFirst().runMillis()).isEqualTo(100);
        TrialRow failed = rows.get(1).trial();
        assertThat(failed.status()).isEqualTo(TrialStatus.FAILED);
        assertThat(failed.exitCode()).contains(1);
        assertThat(failed.reason()).contains("NonZeroExit");
        assertThat(new String(Tails.unpack(failed.stdout(), 4096))).isEqualTo("it says why");
        assertThat(failed.resources()).contains(new TrialRow.Resources(12, 3456));
        assertThat(failed.result().orElseThrow().format()).isEqualTo(ResultFormat.JSON);
        assertThat(rows.get(1).verdict()).isEqualTo('t');
        assertThat(rows.get(2).trial().status()).isEqualTo(TrialStatus.LOST);
        assertThat(rows.subList(3, 5))
                .allMatch(row -> row.trial().status() == TrialStatus.PASSED)
                .allMatch(row -> row.trial().trial() == 2);

        RunEnd end = end("u");
        assertThat(end.status()).isEqualTo(RunEnd.Status.SUCCEEDED);
        assertThat(end.reason()).contains("AllTasksSucceeded");
        assertThat(end.tasks()).isEqualTo(3);
        assertThat(end.succeeded()).isEqualTo(3);
        assertThat(end.trials()).isEqualTo(4);
        assertThat(end.lost()).isEqualTo(1);
        assertThat(end.runMillis()).isEqualTo(350);
        assertThat(end.notRecorded()).isZero();
        assertThat(end.startedAt()).isPresent();
    }

    @Test
    void aTaskThatEndedPendingIsPendingInTheRecordAndNoPass() {
        open("u", 2, Recording.DEFAULT);
        WorkerSession worker = world.session("a");
        List<Claim> claims = claim(worker, "u", 2);
        step(worker, "u", List.of(passedIn(0, claims.get(0)), World.pending(claims.get(1))), 0);

        TrialRow pending = entries().rows().get(1).trial();
        assertThat(pending.status()).isEqualTo(TrialStatus.PENDING);
        assertThat(pending.exitCode()).contains(5);
        assertThat(pending.reason()).contains("NonZeroExit");
        RunEnd end = end("u");
        assertThat(end.status()).isEqualTo(RunEnd.Status.SUCCEEDED);
        assertThat(List.of(end.tasks(), end.succeeded(), end.pending(), end.failed(), end.trials()))
                .containsExactly(2L, 1L, 1L, 0L, 2L);
    }

    private static Settlement stopped(Claim claim, String reason) {
        return new Settlement.Returned(
                claim,
                Optional.of(new Settlement.Stopped(
                        Duration.ofMillis(700),
                        reason,
                        "the run ended first",
                        new TrialFacts(3, System.nanoTime(), Optional.empty()))));
    }

    private static String letters(RecordedEntries entries) {
        return entries.of(HistoryEntry.Step.class).getLast().verdicts();
    }

    @Test
    void whatRunsWhenTheRunEndsHasRowsThatCountNothing() {
        open("u", 3, Recording.DEFAULT);
        WorkerSession worker = world.session("a");
        List<Claim> claims = claim(worker, "u", 3);
        step(worker, "u", allPassed(claims.subList(0, 1)), 0);
        world.control.changeStatus("u", new StatusChange.Cancel());
        List<Settlement> late = List.of(stopped(claims.get(1), "RunEnded"), passed(claims.get(2)));
        assertThat(step(worker, "u", late, 0).verdicts()).containsOnly(StepCall.Verdict.VOID);
        assertThat(letters(entries())).isEqualTo("kk");
        int entries = entries().all().size();
        step(worker, "u", late, 0); // another call for what is not held any more
        assertThat(entries().all()).hasSize(entries);
        assertThat(entries().rows()).as("those that count").hasSize(1);
        assertThat(end("u").trials()).isEqualTo(1);
        assertThat(end("u").notRecorded()).isZero();
    }

    @Test
    void aDeadlineThatTheStepItselfFindsCancelsWhatItSettles() {
        RunOpening run = RunOpening.of(RunKind.TASK_SET, "nightly", 1000, 1);
        world.control.open(TaskSetOpening.of(
                        "u",
                        "p",
                        count(1).recorded(Optional.of(Recording.DEFAULT)),
                        new TaskSetLimits(2, 3, 0, Duration.ofSeconds(2)))
                .recorded(Optional.of(new RunRecord(run, false))));
        WorkerSession worker = world.session("a");
        List<Claim> claims = claim(worker, "u", 1);
        Awaitility.await().pollDelay(Duration.ofMillis(2_050)).until(() -> true);
        step(worker, "u", allPassed(claims), 0);
        assertThat(letters(entries())).isEqualTo("k");
        assertThat(end("u").reason()).contains("DeadlineExceeded");
    }

    @Test
    void aTaskThatIsStoppedBySuspensionHasARowAndUsesNoTrial() throws Exception {
        open("u", 1, Recording.DEFAULT);
        WorkerSession worker = world.session("a");
        List<Claim> claims = claim(worker, "u", 1);
        world.control.changeStatus("u", new StatusChange.Suspend());
        step(worker, "u", List.of(stopped(claims.getFirst(), "Suspended")), 0);
        RecordedEntries.Row row = entries().rows().getFirst();
        assertThat(row.trial().status()).isEqualTo(TrialStatus.CANCELLED);
        assertThat(row.trial().runMillis()).isEqualTo(700);
        assertThat(row.trial().slot()).isEqualTo(3);
        assertThat(row.trial().reason()).contains("Suspended");
        world.control.changeStatus("u", new StatusChange.Resume());
        step(worker, "u", allPassed(claim(worker, "u", 1)), 0);
        assertThat(end("u").trials()).isEqualTo(1);
        assertThat(end("u").notRecorded()).isZero();
    }

    @Test
    void aCancelledTrialThatFindsNoRoomIsNotCountedAsMissing() {
        open("u", 2, Recording.DEFAULT);
        WorkerSession worker = world.session("a");
        List<Claim> claims = claim(worker, "u", 2);
        fill(17);
        world.control.changeStatus("u", new StatusChange.Suspend());
        step(worker, "u", List.of(stopped(claims.get(0), "Suspended"), stopped(claims.get(1), "Suspended")), 0);
        assertThat(entries().of(HistoryEntry.Step.class)).isEmpty();
        fill(0);
        world.control.changeStatus("u", new StatusChange.Cancel());
        assertThat(end("u").notRecorded()).isZero();
    }

    @Test
    void namesOfTasksThatAreNotFedAreEntriesOfARecordedSetAlone() {
        open("u", 2, Recording.DEFAULT);
        world.open("unrecorded", 2);
        RunNames names = new RunNames("hash", 0, List.of("A=1", "A=2"), List.of());
        world.control.name("u", names);
        world.control.name("unrecorded", names);
        world.control.name("nobody", names);
        assertThat(entries().of(HistoryEntry.Named.class)).singleElement().satisfies(named -> {
            assertThat(named.uid()).isEqualTo("u");
            assertThat(named.names()).isEqualTo(names);
        });
    }

    @Test
    void aRepeatedStepIsRecordedOnce() {
        open("u", 2, Recording.DEFAULT);
        WorkerSession worker = world.session("a");
        List<Claim> claims = claim(worker, "u", 2);
        StepCall call = World.prepare(worker, "u", allPassed(claims.subList(0, 1)), List.of());
        call.run();
        step(worker, "u", allPassed(claims.subList(0, 1)), 0); // another call for what is counted
        assertThat(entries().rows()).hasSize(1);
    }

    @Test
    void passesOfARunThatKeepsFailuresAreCountedAlone() {
        open("u", 3, new Recording(Recording.Keep.FAILURES, Recording.Output.FAILED, Recording.Results.NONE, false));
        WorkerSession worker = world.session("a");
        List<Claim> claims = claim(worker, "u", 3);
        step(worker, "u", List.of(passed(claims.get(0)), failed(claims.get(1)), passed(claims.get(2))), 0);
        step(worker, "u", allPassed(claim(worker, "u", 1)), 0);
        assertThat(entries().rows())
                .as("a failure, and the pass after it")
                .extracting(RecordedEntries.Row::task)
                .containsExactly(1L, 1L);
        assertThat(end("u").succeeded()).isEqualTo(3);
        assertThat(end("u").notRecorded()).isZero();
    }

    @Test
    void aSetWithoutARecordLeavesNothing() {
        world.open("u", 1);
        WorkerSession worker = world.session("a");
        step(worker, "u", allPassed(claim(worker, "u", 1)), 0);
        assertThat(entries().of(HistoryEntry.Step.class)).isEmpty();
        assertThat(entries().of(HistoryEntry.Ended.class)).isEmpty();
    }

    @Test
    void nothingIsWrittenWhereNobodyReads() {
        open("u", 1, Recording.DEFAULT);
        room(0); // the next operator has no history
        WorkerSession worker = world.session("a");
        step(worker, "u", allPassed(claim(worker, "u", 1)), 0);
        assertThat(entries().all()).singleElement().isInstanceOf(HistoryEntry.Opened.class);
    }

    @Test
    void cancelDeadlineAndDropAreEndsOfTheRun() {
        for (String uid : List.of("cancelled", "failed", "dropped")) {
            open(uid, 2, Recording.DEFAULT);
        }
        world.control.changeStatus("cancelled", new StatusChange.Cancel());
        world.control.changeStatus("failed", new StatusChange.Fail("PoolGone", "é".repeat(2000)));
        WorkerSession worker = world.session("a");
        claim(worker, "dropped", 1);
        world.control.drop("dropped");
        assertThat(end("cancelled").status()).isEqualTo(RunEnd.Status.CANCELLED);
        assertThat(end("failed").reason()).contains("PoolGone");
        assertThat(end("failed").message().orElseThrow()).hasSize(512);
        assertThat(end("dropped").reason()).contains("Deleted");
    }

    @Test
    void theReaperRecordsWhatItTakesBack() {
        open("u", 2, Recording.DEFAULT);
        WorkerSession dead = world.session("a");
        claim(dead, "u", 2);
        for (int loss = 1; loss <= 3; loss++) {
            Awaitility.await().pollInterval(Duration.ofMillis(20)).until(() -> {
                world.reaper.tick();
                return world.look("u").running() == 0;
            });
            if (loss == 1) {
                claim(world.session("b"), "u", 2);
            } else if (loss == 2) { // each runs alone now
                claim(world.session("c"), "u", 1);
                claim(world.session("d"), "u", 1);
            }
        }
        List<HistoryEntry.Loss> losses = new ArrayList<>();
        entries().of(HistoryEntry.Reaped.class).forEach(reaped -> losses.addAll(reaped.losses()));
        assertThat(losses).hasSize(6);
        assertThat(losses.stream().filter(HistoryEntry.Loss::ended)).hasSize(2);
        assertThat(losses.stream().map(HistoryEntry.Loss::trial)).containsExactly(1, 1, 2, 2, 3, 3);
        assertThat(end("u").lost()).isEqualTo(6);
        assertThat(end("u").failed()).isEqualTo(2);
    }

    @Test
    void workersJoinAndLeave() {
        WorkerSession worker = world.session("a");
        worker.close();
        List<HistoryEntry.Worker> events = entries().of(HistoryEntry.Worker.class);
        assertThat(events)
                .extracting(event -> event.event().phase())
                .containsExactly(HistoryEntry.Phase.JOIN, HistoryEntry.Phase.LEAVE);
        assertThat(events).allMatch(event -> event.session().equals(worker.id()));
        assertThat(events.getFirst().event().node()).isEqualTo("node-1");
        assertThat(events.getLast().event().reason()).contains("closed");
    }

    private static WorkerPreparation prepared(long started, Optional<Long> finished) {
        return new WorkerPreparation("u", started, Optional.of(started + 5), finished, "handlers served: a".getBytes());
    }

    @Test
    void aWorkerSaysHowItGotReadyAsLongAsItLives() throws Exception {
        WorkerSession worker = world.session("a");
        worker.prepared(List.of(prepared(7_000, Optional.empty())));
        worker.prepared(List.of(prepared(7_000, Optional.of(9_000L))));
        worker.close();
        worker.prepared(List.of(prepared(8_000, Optional.empty())));
        List<HistoryEntry.Worker> told = entries().of(HistoryEntry.Worker.class).stream()
                .filter(entry -> entry.event().phase() == HistoryEntry.Phase.PREPARE)
                .toList();
        assertThat(told)
                .hasSize(2)
                .allMatch(entry -> entry.uid().equals("u"))
                .allMatch(entry -> entry.session().equals(worker.id()));
        HistoryEntry.WorkerEvent event = told.getLast().event();
        assertThat(event.startedAt()).contains(7_000L);
        assertThat(event.rsyncFinishedAt()).isEmpty();
        assertThat(event.setupFinishedAt()).contains(7_005L);
        assertThat(event.finishedAt()).contains(9_000L);
        assertThat(event.pod()).isEqualTo("a");
        assertThat(new String(Tails.unpack(event.log(), 4096))).isEqualTo("handlers served: a");
    }

    @Test
    void aWorkersLogGoesWithTheTailsAndItsTimesWithTheRest() {
        open("u", 4, Recording.DEFAULT);
        WorkerSession worker = world.session("a");
        fill(6);
        claim(worker, "u", 1); // the worker learns it
        worker.prepared(List.of(prepared(7_000, Optional.empty())));
        assertThat(entries().of(HistoryEntry.Worker.class).getLast().event().log())
                .isEmpty();
        int before = entries().all().size();
        fill(17);
        worker.prepared(List.of(prepared(7_000, Optional.of(9_000L))));
        assertThat(entries().all()).hasSize(before);
    }

    @Test
    void aPodThatOpensAnewEndsItsEarlierSession() {
        WorkerSession first = world.session("a");
        WorkerSession second = world.session("a");
        assertThat(entries().of(HistoryEntry.Worker.class))
                .extracting(event -> event.session() + " " + event.event().phase())
                .containsExactly(first.id() + " JOIN", first.id() + " LEAVE", second.id() + " JOIN");
    }

    @Test
    void tailsGoFirstThenPassesThenFailuresAndTheCountIsExact() {
        open("u", 12, Recording.DEFAULT);
        WorkerSession worker = world.session("a");
        byte[] tail = "a tail".getBytes();
        fill(0);
        settle(worker, 3, tail);
        assertThat(entries().rows().get(1).trial().outputCut()).isFalse();
        fill(6); // which the worker learns with its claims
        settle(worker, 3, tail);
        RecordedEntries.Row cut = entries().rows().get(4);
        assertThat(cut.trial().outputCut()).isTrue();
        assertThat(cut.trial().stdout()).isEmpty();
        assertThat(cut.trial().reason()).contains("NonZeroExit");

        fill(11);
        settle(worker, 3, tail);
        assertThat(entries().rows()).as("the failure alone").hasSize(7);

        fill(17);
        settle(worker, 3, tail);
        assertThat(entries().rows()).hasSize(7);
        fill(0);
        List<Claim> rest = claim(worker, "u", 64);
        step(worker, "u", allPassed(rest), 0);
        RunEnd end = end("u");
        assertThat(end.succeeded()).isEqualTo(12);
        assertThat(end.trials() - end.notRecorded())
                .as("what is recorded is what is there")
                .isEqualTo(entries().rows().size());
        assertThat(end.notRecorded()).isEqualTo(2 + 3);
    }

    /** Two passes and a failure. */
    private static void settle(WorkerSession worker, int tasks, byte[] tail) {
        List<Claim> claims = claim(worker, "u", tasks);
        List<Settlement> settled = new ArrayList<>();
        int failing = claims.size() > 1 ? 1 : 0;
        for (int i = 0; i < claims.size(); i++) {
            settled.add(i == failing ? failedWith(claims.get(i), tail) : passed(claims.get(i)));
        }
        step(worker, "u", settled, 0);
    }

    /** So many sixteenths of the room are taken. */
    private void fill(int sixteenths) {
        store.ask(redis ->
                redis.hset(world.keyspace.meta(), Map.of("history_bytes", Long.toString(ROOM / 16 * sixteenths))));
    }

    @Test
    void aSetThatWaitsForRoomGoesOnWhenThereIsSome() {
        open("u", 2, Recording.DEFAULT, true);
        WorkerSession worker = world.session("a");
        fill(6);
        assertThat(claim(worker, "u", 1)).isEmpty();
        assertThat(world.look("u").status()).isEqualTo(TaskSetState.RUNNING);
        fill(0);
        step(worker, "u", allPassed(claim(worker, "u", 2)), 0);
        assertThat(end("u").succeeded()).isEqualTo(2);
    }

    @Test
    void timesAreThoseOfTheEndHoweverLateTheStepIsSent() throws Exception {
        open("u", 1, Recording.DEFAULT);
        WorkerSession worker = world.session("a");
        List<Claim> claims = claim(worker, "u", 1);
        StepCall call = World.prepare(worker, "u", List.of(passedIn(0, claims.getFirst())), List.of());
        Awaitility.await().pollDelay(Duration.ofMillis(300)).until(() -> true);
        call.run();
        HistoryEntry.Step step = entries().of(HistoryEntry.Step.class).getFirst();
        HistoryEntry.Ended ended = entries().of(HistoryEntry.Ended.class).getFirst();
        assertThat(ended.at() - step.at()).isGreaterThanOrEqualTo(300);
    }

    @Test
    void theLossOfAKeyspacesPastIsOnRecord() {
        KeyspaceHealth health = lifecycle.health(world.keyspace, 1).recording(ROOM);
        StoreFacts now = health.beat();
        health.observe(Optional.of(now));
        assertThat(entries().of(HistoryEntry.Rewound.class)).isEmpty();
        health.observe(Optional.of(new StoreFacts(now.epoch(), now.beat() + 3, now.runId())));
        health.observe(Optional.of(new StoreFacts("another", now.beat(), now.runId())));
        assertThat(entries().of(HistoryEntry.Rewound.class))
                .extracting(HistoryEntry.Rewound::loss)
                .containsExactly(HistoryEntry.Past.REWOUND, HistoryEntry.Past.EMPTIED);
    }
}
