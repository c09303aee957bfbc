package dev.quiver.history.store;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.zip.CRC32;

import dev.quiver.history.store.StepParts.CountedTrial;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.HistoryEntry.WorkerEvent;
import dev.quiver.lifecycle.history.NodeRange;
import dev.quiver.lifecycle.history.PackPlace;
import dev.quiver.lifecycle.history.RunNames;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;

/**
 * Entries turned into rows of the tables. No two rows of a table have the same key: PostgreSQL refuses to overwrite a
 * row twice in one statement. A run without an id was removed, and gets no row. Not thread-safe.
 */
final class RowBatch {

    private static final int LOSSES = 16_000;
    private static final int ROW_BYTES = 100;
    /** Columns of {@link Tables#WORKER_LOGS} that tell of the start. */
    private static final List<String> START = List.of("started_at", "rsync_finished_at", "setup_finished_at");

    private final Map<String, Long> runs;
    private final Map<String, Long> workers;
    private final Set<Long> silent;
    private final Map<Table, Map<List<Object>, TableRow>> rows = new LinkedHashMap<>();
    private final Map<Long, Long> bytes = new HashMap<>();

    /**
     * Begins empty.
     *
     * @param runs ids by uid
     * @param workers ids by session
     * @param silent runs whose output is not to be kept
     */
    RowBatch(Map<String, Long> runs, Map<String, Long> workers, Set<Long> silent) {
        this.runs = runs;
        this.workers = workers;
        this.silent = silent;
    }

    List<Object[]> rows(Table table) {
        return rows.getOrDefault(table, Map.of()).values().stream()
                .map(TableRow::values)
                .toList();
    }

    /** Bytes that were added to each run, about. */
    Map<Long, Long> bytes() {
        return bytes;
    }

    private void put(TableRow row) {
        Map<List<Object>, TableRow> known = rows.computeIfAbsent(row.table(), it -> new LinkedHashMap<>());
        if (row.table().onConflict().equals(Table.NOTHING)) {
            known.putIfAbsent(row.key(), row);
        } else {
            known.put(row.key(), row);
        }
    }

    /** The row with that key by an earlier entry of this batch. */
    private Optional<TableRow> before(TableRow row) {
        return Optional.ofNullable(rows.getOrDefault(row.table(), Map.of()).get(row.key()));
    }

    private static TableRow runWorker(long run, long worker) {
        return TableRow.of(Tables.RUN_WORKERS).set("run_id", run).set("worker_id", worker);
    }

    private void count(long run, long more) {
        bytes.merge(run, more, Long::sum);
    }

    void step(HistoryEntry.Step step, StepParts parts) {
        long worker = workers.get(step.session());
        parts.runs().forEach((uid, part) -> {
            Long run = runs.get(uid);
            if (run == null) {
                return;
            }
            put(runWorker(run, worker));
            PassPack passes = part.passes();
            if (passes.n() > 0) {
                put(TableRow.of(Tables.PASSES)
                        .set("run_id", run)
                        .set("worker_id", worker)
                        .set("call", step.call())
                        .set("first_task", passes.firstTask())
                        .set("last_task", passes.lastTask())
                        .set("n", passes.n())
                        .set("base_at", step.at())
                        .set("ms_sum", passes.millisSum())
                        .set("ms_max", passes.millisMax())
                        .set("packed", passes.packed()));
                count(run, ROW_BYTES + passes.packed().length);
            }
            part.trials().forEach(trial -> trial(run, worker, step, trial));
        });
    }

    private void trial(long run, long worker, HistoryEntry.Step step, CountedTrial counted) {
        TrialRow row = counted.row();
        long finished = step.at() - row.endedMillis();
        boolean unused = row.status() == TrialStatus.LOST || row.status() == TrialStatus.CANCELLED;
        int copy = unused ? loss(step.session(), step.call()) : row.copy();
        TableRow to = TableRow.of(Tables.TRIALS)
                .set("run_id", run)
                .set("task", row.task())
                .set("trial", row.trial())
                .set("copy", copy)
                .set("status", row.status().ordinal())
                .set("worker_id", worker)
                .set("slot", row.slot())
                .set("started_at", finished - row.runMillis())
                .set("finished_at", finished)
                .set("run_ms", row.runMillis())
                .set("exit_code", row.exitCode().orElse(null))
                .set("signal", row.signal().orElse(null))
                .set("reason", row.reason().orElse(null))
                .set("message", row.message().orElse(null))
                .set("out_bytes", row.outputBytes())
                .set("output_cut", row.outputCut() ? 1 : 0)
                .set("result_bytes", row.resultBytes() > 0 ? row.resultBytes() : null);
        row.counts()
                .ifPresent(counts -> to.set("passed", counts.passed())
                        .set("pending", counts.pending())
                        .set("failed", counts.failed()));
        row.resources().ifPresent(used -> to.set("cpu_ms", used.cpuMillis()).set("max_rss_kib", used.maxRssKib()));
        boolean keeps = !silent.contains(run);
        if (keeps) {
            to.set("stdout", orNull(row.stdout())).set("stderr", orNull(row.stderr()));
            row.result()
                    .ifPresent(result -> to.set("result", result.bytes())
                            .set("result_format", result.format().ordinal()));
        }
        row.pack().ifPresent(place -> place(to, "pack", "pack", place, keeps));
        row.streams().stdout().ifPresent(place -> place(to, "stdout_pack", "stdout", place, keeps));
        row.streams().stderr().ifPresent(place -> place(to, "stderr_pack", "stderr", place, keeps));
        put(to);
        if (!unused) { // the other rows of a trial have its number, and used no trial
            cases(run, row);
        }
        if (counted.fate() != StepParts.Fate.DECIDED_ELSEWHERE) {
            task(
                    run,
                    row.task(),
                    row.status(),
                    row.trial(),
                    row.runMillis(),
                    row.reason().orElse(null),
                    counted.fate() == StepParts.Fate.OVER,
                    row.estimateMillis());
        }
        int result = row.result().map(it -> it.bytes().length).orElse(0);
        count(run, 2 * ROW_BYTES + row.stdout().length + row.stderr().length + result);
    }

    private void cases(long run, TrialRow row) {
        for (int n = 0; n < row.cases().size(); n++) {
            TrialRow.Case each = row.cases().get(n);
            put(TableRow.of(Tables.CASES)
                    .set("run_id", run)
                    .set("task", row.task())
                    .set("trial", row.trial())
                    .set("n", row.copy() * TrialCopies.CASES + n)
                    .set("name", each.name())
                    .set("status", each.status().ordinal())
                    .set("ms", each.runMillis())
                    .set("message", each.message()));
            count(run, ROW_BYTES + each.name().length() + each.message().length());
        }
    }

    /** Where a pack holds something; without the pack's name where it is not to be kept. */
    private static void place(TableRow row, String pack, String prefix, PackPlace place, boolean keeps) {
        row.set(pack, keeps ? place.pack() : null)
                .set(prefix + "_at", place.offset())
                .set(prefix + "_len", place.length());
    }

    private static byte[] orNull(byte[] bytes) {
        return bytes.length == 0 ? null : bytes;
    }

    /** estimate: ms that it was expected to take, 0 where nothing told it. */
    private void task(
            long run,
            long task,
            TrialStatus status,
            int trial,
            long millis,
            String reason,
            boolean over,
            long estimate) {
        TableRow row = TableRow.of(Tables.TASKS)
                .set("run_id", run)
                .set("task", task)
                .set("status", status.ordinal())
                .set("trials", trial)
                .set("estimate_sec", estimate > 0 ? Math.max(1, Math.round(estimate / 1000.0)) : null)
                .set("run_ms", millis)
                .set("reason", reason)
                .set("over", over ? 1 : 0);
        boolean decides = over && (status == TrialStatus.PASSED || status == TrialStatus.PENDING);
        boolean stands = before(row)
                .filter(known -> known.number("over") > row.number("over")
                        || known.number("over") == row.number("over") && known.number("trials") > trial && !decides)
                .isPresent();
        if (!stands) { // as Tables.TASKS has it
            if (estimate == 0) {
                before(row).ifPresent(known -> row.set("estimate_sec", known.get("estimate_sec")));
            }
            put(row);
        }
    }

    /** The same for the same loss, another one for another loss, with near certainty. */
    static int loss(String session, long call) {
        CRC32 sum = new CRC32();
        sum.update((session + "/" + call).getBytes(StandardCharsets.UTF_8));
        return TrialCopies.FIRST_LOSS + (int) (sum.getValue() % LOSSES);
    }

    void reaped(HistoryEntry.Reaped reaped) {
        Long run = runs.get(reaped.uid());
        if (run == null) {
            return;
        }
        long worker = workers.get(reaped.session());
        put(runWorker(run, worker));
        for (HistoryEntry.Loss lost : reaped.losses()) {
            if (!lost.earlier()) {
                lost(run, worker, reaped, lost);
            }
            lost.id()
                    .ifPresent(id -> put(TableRow.of(Tables.NODES)
                            .set("run_id", run)
                            .set("ordinal", lost.task())
                            .set("parent", -1L)
                            .set("kind", "leaf")
                            .set("name", id)
                            .set("state", "")
                            .set("first", 0L)
                            .set("n", 0L)));
            task(run, lost.task(), TrialStatus.LOST, lost.trial(), 0, "WorkerLost", lost.ended(), 0);
            count(run, 2 * ROW_BYTES);
        }
    }

    private void lost(long run, long worker, HistoryEntry.Reaped reaped, HistoryEntry.Loss lost) {
        put(TableRow.of(Tables.TRIALS)
                .set("run_id", run)
                .set("task", lost.task())
                .set("trial", lost.trial())
                .set("copy", loss(reaped.session(), 0))
                .set("status", TrialStatus.LOST.ordinal())
                .set("worker_id", worker)
                .set("slot", 0)
                .set("started_at", reaped.at())
                .set("finished_at", reaped.at())
                .set("run_ms", 0)
                .set("reason", "WorkerLost")
                .set("output_cut", 0));
    }

    void worker(String keyspace, HistoryEntry.Worker entry) {
        WorkerEvent event = entry.event();
        boolean leave = event.phase() == HistoryEntry.Phase.LEAVE;
        TableRow row = TableRow.of(Tables.WORKERS).set("keyspace", keyspace).set("session", entry.session());
        if (leave) {
            row.set("closed_at", entry.at()).set("ended", event.reason().orElse(""));
        } else {
            row.set("pool", event.pool())
                    .set("pod", event.pod())
                    .set("pod_uid", event.podUid())
                    .set("node", event.node())
                    .set("slots", event.slots())
                    .set("speed", event.speedMilli());
        }
        if (event.phase() == HistoryEntry.Phase.JOIN) {
            row.set("opened_at", entry.at());
        }
        put(before(row).map(row::orElse).orElse(row)); // what an earlier entry of this batch has told stays
        Long run = runs.get(entry.uid());
        if (event.phase() == HistoryEntry.Phase.PREPARE && run != null) {
            long worker = workers.get(entry.session());
            put(runWorker(run, worker));
            prepared(TableRow.of(Tables.WORKER_LOGS)
                    .set("run_id", run)
                    .set("worker_id", worker)
                    .set("started_at", event.startedAt().orElse(null))
                    .set("rsync_finished_at", event.rsyncFinishedAt().orElse(null))
                    .set("setup_finished_at", event.setupFinishedAt().orElse(null))
                    .set("finished_at", event.finishedAt().orElse(null))
                    .set("reason", event.reason().orElse(null))
                    .set("log", silent.contains(run) ? null : orNull(event.log())));
            count(run, ROW_BYTES + event.log().length);
        }
    }

    /** The same within a batch as the table's key decides between two: the first start stays, the last end counts. */
    private void prepared(TableRow row) {
        before(row).ifPresent(earlier -> {
            for (String start : START) {
                row.set(start, earlier.get(start) == null ? row.get(start) : earlier.get(start));
            }
            row.set("log", row.get("log") == null ? earlier.get("log") : row.get("log"));
        });
        put(row);
    }

    void named(String namespace, HistoryEntry.Named entry) {
        Long run = runs.get(entry.uid());
        if (run == null) {
            return;
        }
        RunNames names = entry.names();
        for (RunNames.Node node : names.nodes()) {
            TableRow row = TableRow.of(Tables.NODES)
                    .set("run_id", run)
                    .set("ordinal", node.ordinal())
                    .set("parent", node.parent())
                    .set("kind", node.kind())
                    .set("name", node.name())
                    .set("state", node.state())
                    .set("first", node.first())
                    .set("n", node.n());
            if (node.name().isEmpty()) { // what tells only how a node ended has no name
                before(row).ifPresent(named -> row.set("name", named.get("name")));
            }
            put(row);
            count(run, ROW_BYTES + node.name().length());
        }
        if (!names.names().isEmpty() && !names.sourceHash().isEmpty()) {
            byte[] packed = NameBlock.pack(names.names());
            put(TableRow.of(Tables.NAMES)
                    .set("namespace", namespace)
                    .set("source_hash", names.sourceHash())
                    .set("first_task", names.firstTask())
                    .set("n", names.names().size())
                    .set("packed", packed)
                    .set("hashes", NameBlock.hashes(names.names())));
            count(run, ROW_BYTES + packed.length);
        }
    }

    void ranged(HistoryEntry.Ranged entry) {
        Long run = runs.get(entry.uid());
        if (run == null) {
            return;
        }
        NodeRange range = entry.range();
        put(TableRow.of(Tables.NODE_RANGES)
                .set("run_id", run)
                .set("first", range.first())
                .set("kind", range.kind().ordinal())
                .set("parent", range.parent())
                .set("n", range.n())
                .set("stride", range.stride())
                .set("origin", range.origin()));
        count(run, ROW_BYTES);
    }

    void unread(String keyspace, ReceivedEntry received, Optional<String> uid, long now) {
        put(TableRow.of(Tables.UNREAD)
                .set("keyspace", keyspace)
                .set("entry", received.id())
                .set("uid", uid.orElse(null))
                .set("kind", UnreadFields.kind(received.fields()))
                .set("fields", UnreadFields.pack(received.fields()))
                .set("error", received.error())
                .set("stored_at", now));
    }
}
