package dev.quiver.history.rig;

import static dev.quiver.history.rig.Record.T0;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.NodeRange;
import dev.quiver.lifecycle.history.PackPlace;
import dev.quiver.lifecycle.history.ResultFormat;
import dev.quiver.lifecycle.history.RunEnd;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunNames;
import dev.quiver.lifecycle.history.RunOpening;
import dev.quiver.lifecycle.history.StepRows;
import dev.quiver.lifecycle.history.Tails;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;

/** Recorded runs as people meet them: huge, failed, flaky, running, empty, trees, a job, and one whose author means harm. */
public final class Runs {

    /** Would run, were any of its parts taken for a page. */
    public static final String HOSTILE =
            "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>${1}\u202e‮{{7*7}}";

    /** The trials of each slot of the huge run's 16 workers. */
    private static final int SLOTS = 8;

    private static final int WORKERS = 16;

    /** The first chunk of node 2 of a job. */
    private static final long FIRST_CHUNK = 3 << 22;

    /** Uid of the run of an hour of a queue. */
    public static final String HOUR = "queue:shared:494444";

    /** Bytes of a result that has to go to a pack. */
    public static final int PACKED = 100_000;

    /** Tasks that a worker settles at once. */
    private static final int STEP = 32;

    private final Record record;
    private final Random random = new Random(14);
    private long call;

    /** Into that record. */
    public Runs(Record record) {
        this.record = record;
    }

    /** All of them. */
    public void write() throws Exception {
        for (int worker = 0; worker < WORKERS; worker++) {
            record.joined("worker-" + worker, T0);
        }
        for (int night = 0; night < 6; night++) {
            worked("night-" + night, "specs", T0 + night * 86_400_000L, 400, night == 5 ? 12 : night % 2, true);
        }
        worked("huge", "all-of-it", T0 + 7 * 86_400_000L, 100_000, 400, true);
        worked("live", "specs-now", T0 + 8 * 86_400_000L, 1500, 6, false);
        record.opened("empty", "nothing-yet", T0 + 9 * 86_400_000L, 50);
        flaky();
        hostile();
        tree("tree-before", T0 + 1);
        tree("tree", T0 + 2);
        job();
        hour();
        results();
        record.write();
    }

    /** Slots take tasks one after another; one worker is slow. */
    private void worked(String uid, String name, long at, int tasks, int failing, boolean ended) {
        int all = ended ? tasks : tasks * 3 / 2;
        List<String> names = IntStream.range(0, all)
                .mapToObj(i -> "spec/" + (i % 7 == 0 ? "billing" : "search") + "/part_" + i + "_spec.rb")
                .toList();
        record.opened(
                uid,
                at,
                RunOpening.of(RunKind.TASK_SET, name, at, all)
                        .in("nightly", uid)
                        .on("pool"));
        for (int from = 0; from < all; from += 500) {
            record.add(new HistoryEntry.Named(
                    uid, at, new RunNames(uid, from, names.subList(from, Math.min(all, from + 500)), List.of())));
        }
        long[] free = new long[WORKERS * SLOTS];
        for (int worker = 0; worker < WORKERS; worker++) {
            record.prepared(
                    uid,
                    "worker-" + worker,
                    at + 4000,
                    Tails.pack("bundle install\nready\n".getBytes(StandardCharsets.UTF_8), 4096));
        }
        for (int first = 0; first < tasks; first += STEP) {
            int worker = first / STEP % WORKERS;
            StepRows rows = new StepRows();
            long end = at;
            long[] ends = new long[STEP];
            long[] took = new long[STEP];
            for (int i = 0; i < STEP; i++) {
                took[i] = (long) (200 + 600 * Math.abs(random.nextGaussian())) * (worker == 5 ? 4 : 1);
                ends[i] = free[worker * SLOTS + i % SLOTS] += took[i] + 20;
                end = Math.max(end, at + 5000 + ends[i]);
            }
            for (int task = first; task < Math.min(tasks, first + STEP); task++) {
                int slot = (task - first) % SLOTS;
                long before = end - at - 5000 - ends[task - first];
                boolean fails = failing > 0 && task % Math.max(1, tasks / failing) == 3;
                rows = fails
                        ? rows.trial(failed(task, slot, before, took[task - first]))
                        : rows.pass(task, slot, before, took[task - first]);
            }
            record.step(uid, "worker-" + worker, ++call, end, rows);
        }
        if (ended) {
            long last = at + 5000 + java.util.Arrays.stream(free).max().orElse(0);
            long failed = IntStream.range(0, tasks)
                    .filter(i -> failing > 0 && i % Math.max(1, tasks / failing) == 3)
                    .count();
            record.add(new HistoryEntry.Ended(
                    uid,
                    last,
                    new RunEnd(
                            failed > 0 ? RunEnd.Status.FAILED : RunEnd.Status.SUCCEEDED,
                            failed > 0 ? Optional.of("TasksFailed") : Optional.empty(),
                            Optional.empty(),
                            Optional.of(at + 5000),
                            tasks,
                            tasks - failed,
                            0,
                            failed,
                            tasks,
                            0,
                            1,
                            0)));
        }
    }

    private static TrialRow failed(long task, int slot, long before, long took) {
        TrialStatus status = task % 5 == 0 ? TrialStatus.TIMEOUT : TrialStatus.FAILED;
        return TrialRow.of(task, 1, slot, status, before, took)
                .because(
                        Optional.of(1),
                        Optional.empty(),
                        status == TrialStatus.TIMEOUT ? "TimedOut" : "NonZeroExit",
                        status == TrialStatus.TIMEOUT
                                ? "took longer than 31 s"
                                : task % 2 == 0 ? "the program ended with 1" : "no rounding rule\nof invoice " + task)
                .printed(
                        Tails.pack(
                                "  1) Invoice rounds half up\n     expected: 10.35\n          got: 10.34\n     # ./spec/billing/invoice_spec.rb:41\n"
                                        .getBytes(StandardCharsets.UTF_8),
                                4096),
                        Tails.pack("warning: method redefined\n".getBytes(StandardCharsets.UTF_8), 4096),
                        4096);
    }

    private void hostile() {
        byte[] output = Tails.pack((HOSTILE + "\u001b[31mred\u001b[0m\u0007").getBytes(StandardCharsets.UTF_8), 4096);
        record.opened(
                        "hostile",
                        T0 + 1,
                        RunOpening.of(RunKind.TASK_SET, HOSTILE, T0 + 1, 1).in(HOSTILE, "hh"))
                .named("hostile", "hh", List.of(HOSTILE))
                .step(
                        "hostile",
                        "worker-1",
                        ++call,
                        T0 + 9000,
                        new StepRows()
                                .trial(TrialRow.of(0, 1, 0, TrialStatus.FAILED, 5, 1200)
                                        .because(Optional.of(1), Optional.empty(), HOSTILE, HOSTILE)
                                        .printed(output, output, 4096)))
                .ended("hostile", RunEnd.Status.FAILED, T0 + 9000, 1, 1, 1);
    }

    /** A test that always passes, one that passed in its second trial, and one that is broken. */
    private void flaky() {
        for (int night = 0; night < 2; night++) {
            String uid = "flaky-" + night;
            long at = T0 + 100 + night;
            record.opened(
                            uid,
                            at,
                            RunOpening.of(RunKind.TASK_SET, "browsers", at, 3).in("browsers", "bb"))
                    .named(uid, "bb", List.of("opens", "scrolls", "prints"))
                    .step(
                            uid,
                            "worker-1",
                            ++call,
                            at + 9000,
                            new StepRows()
                                    .pass(0, 0, 40, 700)
                                    .trial(failed(1, 1, 30, 900))
                                    .trial(failed(2, 2, 20, 300)),
                            "ctc")
                    .step(
                            uid,
                            "worker-1",
                            ++call,
                            at + 9500,
                            new StepRows().trial(TrialRow.of(1, 2, 1, TrialStatus.PASSED, 5, 1400)))
                    .ended(uid, RunEnd.Status.FAILED, at + 9500, 3, 1, 4);
        }
    }

    private void tree(String uid, long at) {
        record.opened(uid, at, RunOpening.of(RunKind.TASK, "deploy", at, 3).in("deploy", uid))
                .add(new HistoryEntry.Named(
                        uid,
                        at,
                        new RunNames(
                                "",
                                0,
                                List.of(),
                                List.of(
                                        new RunNames.Node(0, -1, "chain", "deploy", "", 0, 0),
                                        new RunNames.Node(1, 0, "group", "fetch", "", 0, 0),
                                        new RunNames.Node(2, 0, "leaf", "report", "", 0, 0),
                                        new RunNames.Node(3, 1, "leaf", "part one", "", 0, 0),
                                        new RunNames.Node(4, 1, "leaf", "part two", "", 0, 0)))))
                .step(
                        uid,
                        "worker-1",
                        ++call,
                        at + 5000,
                        new StepRows().pass(3, 0, 1000, 500).trial(failed(4, 1, 1000, 500)));
    }

    /** Results: a short one, one in a pack that is not stored here, one that is on its way, and one of no pack. */
    private void results() {
        byte[] rows = "{\"rows\":[1,2,3]}".getBytes(StandardCharsets.UTF_8);
        record.opened("results", T0 + 4, RunOpening.of(RunKind.TASK_SET, "results", T0 + 4, 4))
                .step(
                        "results",
                        "worker-1",
                        ++call,
                        T0 + 9000,
                        new StepRows()
                                .trial(TrialRow.of(0, 1, 0, TrialStatus.PASSED, 0, 200)
                                        .returned(ResultFormat.JSON, rows))
                                .trial(TrialRow.of(1, 1, 1, TrialStatus.PASSED, 0, 200)
                                        .returned(PACKED)
                                        .kept(new PackPlace("worker-1/1", 0, PACKED)))
                                .trial(TrialRow.of(3, 1, 3, TrialStatus.PASSED, 0, 200)
                                        .returned(1 << 20)))
                .step(
                        "results",
                        "worker-1",
                        ++call,
                        System.currentTimeMillis(),
                        new StepRows()
                                .trial(TrialRow.of(2, 1, 2, TrialStatus.PASSED, 0, 200)
                                        .returned(PACKED)
                                        .kept(new PackPlace("worker-1/2", 0, PACKED))));
    }

    /** An hour of a pool's queue that goes on. */
    private void hour() {
        record.opened(HOUR, T0, RunOpening.of(RunKind.QUEUE, "shared", 0, 0).on("shared"))
                .step(
                        HOUR,
                        "worker-1",
                        ++call,
                        T0 + 7000,
                        new StepRows().trial(TrialRow.of(7, 1, 4, TrialStatus.PASSED, 0, 300)));
    }

    /** Four chunks and a reduce behind a map. */
    private void job() {
        StepRows rows = new StepRows().pass(1, 0, 4000, 500);
        for (int chunk = 0; chunk < 4; chunk++) {
            rows = rows.pass(FIRST_CHUNK + chunk, 1 + chunk % 2, 3000 - chunk / 2 * 1000, 900);
        }
        record.opened("job", T0 + 3, RunOpening.of(RunKind.MAP_REDUCE_JOB, "squares", T0 + 3, 6))
                .add(new HistoryEntry.Named(
                        "job",
                        T0 + 3,
                        new RunNames(
                                "",
                                0,
                                List.of(),
                                List.of(
                                        new RunNames.Node(0, -1, "chain", "job", "", 0, 0),
                                        new RunNames.Node(1, 0, "leaf", "map", "", 0, 0),
                                        new RunNames.Node(2, 0, "chunks", "chunks", "", 0, 0),
                                        new RunNames.Node(3, 0, "leaf", "reduce", "", 0, 0)))))
                .add(new HistoryEntry.Ranged(
                        "job", T0 + 4, new NodeRange(NodeRange.Kind.COMBINES, 2, FIRST_CHUNK, 4, 2, 0)))
                .step(
                        "job",
                        "worker-1",
                        ++call,
                        T0 + 8000,
                        rows.trial(TrialRow.of(3, 1, 0, TrialStatus.PASSED, 100, 400)
                                .returned(ResultFormat.JSON, "{\"sum\":30}".getBytes(StandardCharsets.UTF_8))))
                .add(new HistoryEntry.Named(
                        "job",
                        T0 + 8000,
                        new RunNames(
                                "",
                                0,
                                List.of(),
                                List.of(
                                        new RunNames.Node(0, -1, "chain", "", "succeeded", 0, 0),
                                        new RunNames.Node(1, 0, "leaf", "", "succeeded", 0, 0),
                                        new RunNames.Node(2, 0, "chunks", "", "succeeded", 0, 0),
                                        new RunNames.Node(3, 0, "leaf", "", "succeeded", 0, 0)))))
                .ended("job", RunEnd.Status.SUCCEEDED, T0 + 8000, 6, 0, 6);
    }
}
