package dev.quiver.history.store;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
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
final class Batch {

    /** Losses and cancelled trials use no trial: the next attempt has the same number. So their copies begin here. */
    static final int FIRST_LOSS = 16;

    private static final int LOSSES = 16_000;
    private static final int ROW_BYTES = 100;
    private static final int NODE_NAME = 4;

    /** Columns of {@link Tables#WORKER_LOGS}: the times of the start lie before that of the end. */
    private static final int STARTED_AT = 2;

    private static final int FINISHED_AT = 5;
    private static final int LOG = 7;

    private final Map<String, Long> runs;
    private final Map<String, Long> workers;
    private final Set<Long> silent;
    private final Map<Table, Map<List<Object>, Object[]>> rows = new LinkedHashMap<>();
    private final Map<Long, Long> bytes = new HashMap<>();

    /**
     * Begins empty.
     *
     * @param runs ids by uid
     * @param workers ids by session
     * @param silent runs whose output is not to be kept
     */
    Batch(Map<String, Long> runs, Map<String, Long> workers, Set<Long> silent) {
        this.runs = runs;
        this.workers = workers;
        this.silent = silent;
    }

    List<Object[]> rows(Table table) {
        return List.copyOf(rows.getOrDefault(table, Map.of()).values());
    }

    /** Bytes that were added to each run, about. */
    Map<Long, Long> bytes() {
        return bytes;
    }

    private void put(Table table, Object... row) {
        List<Object> key = Arrays.asList(Arrays.copyOf(row, table.key().size()));
        Map<List<Object>, Object[]> known = rows.computeIfAbsent(table, it -> new LinkedHashMap<>());
        if (table.onConflict().equals(Table.NOTHING)) {
            known.putIfAbsent(key, row);
        } else {
            known.put(key, row);
        }
    }

    /** The same where what is null leaves what an earlier entry of this batch has told. */
    private void add(Table table, Object... row) {
        Object[] before = before(table, row);
        for (int i = 0; before != null && i < row.length; i++) {
            row[i] = row[i] == null ? before[i] : row[i];
        }
        put(table, row);
    }

    /** The row of that key by an earlier entry of this batch, or null. */
    private Object[] before(Table table, Object... row) {
        return rows.getOrDefault(table, Map.of())
                .get(Arrays.asList(Arrays.copyOf(row, table.key().size())));
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
            put(Tables.RUN_WORKERS, run, worker);
            PassPack passes = part.passes();
            if (passes.n() > 0) {
                put(
                        Tables.PASSES,
                        run,
                        worker,
                        step.call(),
                        passes.firstTask(),
                        passes.lastTask(),
                        passes.n(),
                        step.at(),
                        passes.millisSum(),
                        passes.millisMax(),
                        passes.packed());
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
        String message = row.message().orElse(null);
        Optional<TrialRow.Counts> counts = row.counts();
        Optional<TrialRow.Result> kept = silent.contains(run) ? Optional.empty() : row.result();
        put(
                Tables.TRIALS,
                run,
                row.task(),
                row.trial(),
                copy,
                row.status().ordinal(),
                worker,
                row.slot(),
                finished - row.runMillis(),
                finished,
                row.runMillis(),
                row.exitCode().orElse(null),
                row.signal().orElse(null),
                row.reason().orElse(null),
                message,
                counts.map(TrialRow.Counts::passed).orElse(null),
                counts.map(TrialRow.Counts::pending).orElse(null),
                counts.map(TrialRow.Counts::failed).orElse(null),
                row.resources().map(TrialRow.Resources::cpuMillis).orElse(null),
                row.resources().map(TrialRow.Resources::maxRssKib).orElse(null),
                silent.contains(run) ? null : orNull(row.stdout()),
                silent.contains(run) ? null : orNull(row.stderr()),
                row.outputBytes(),
                row.outputCut() ? 1 : 0,
                kept.map(TrialRow.Result::bytes).orElse(null),
                kept.map(result -> result.format().ordinal()).orElse(null),
                row.resultBytes() > 0 ? row.resultBytes() : null,
                pack(run, row.pack()),
                row.pack().map(PackPlace::offset).orElse(null),
                row.pack().map(PackPlace::length).orElse(null),
                pack(run, row.streams().stdout()),
                row.streams().stdout().map(PackPlace::offset).orElse(null),
                row.streams().stdout().map(PackPlace::length).orElse(null),
                pack(run, row.streams().stderr()),
                row.streams().stderr().map(PackPlace::offset).orElse(null),
                row.streams().stderr().map(PackPlace::length).orElse(null));
        task(
                run,
                row.task(),
                row.status(),
                row.trial(),
                row.runMillis(),
                row.reason().orElse(null),
                counted.over());
        int result = row.result().map(it -> it.bytes().length).orElse(0);
        count(run, 2 * ROW_BYTES + row.stdout().length + row.stderr().length + result);
    }

    private String pack(long run, Optional<PackPlace> place) {
        return silent.contains(run) ? null : place.map(PackPlace::pack).orElse(null);
    }

    private static byte[] orNull(byte[] bytes) {
        return bytes.length == 0 ? null : bytes;
    }

    private void task(long run, long task, TrialStatus status, int trial, long millis, String reason, boolean over) {
        Object[] known = rows.getOrDefault(Tables.TASKS, Map.of()).get(List.<Object>of(run, task));
        if (known == null
                || ((Number) known[3]).intValue() <= trial && ((Number) known[6]).intValue() <= (over ? 1 : 0)) {
            put(Tables.TASKS, run, task, status.ordinal(), trial, millis, reason, over ? 1 : 0);
        }
    }

    /** The same for the same loss, another one for another loss, with near certainty. */
    static int loss(String session, long call) {
        CRC32 sum = new CRC32();
        sum.update((session + "/" + call).getBytes(StandardCharsets.UTF_8));
        return FIRST_LOSS + (int) (sum.getValue() % LOSSES);
    }

    void reaped(HistoryEntry.Reaped reaped) {
        Long run = runs.get(reaped.uid());
        if (run == null) {
            return;
        }
        long worker = workers.get(reaped.session());
        put(Tables.RUN_WORKERS, run, worker);
        for (HistoryEntry.Loss lost : reaped.losses()) {
            if (!lost.earlier()) {
                lost(run, worker, reaped, lost);
            }
            lost.id().ifPresent(id -> put(Tables.NODES, run, lost.task(), -1L, "leaf", id, "", 0L, 0L));
            task(run, lost.task(), TrialStatus.LOST, lost.trial(), 0, "WorkerLost", lost.ended());
            count(run, 2 * ROW_BYTES);
        }
    }

    private void lost(long run, long worker, HistoryEntry.Reaped reaped, HistoryEntry.Loss lost) {
        Object[] row = new Object[Tables.TRIALS.columns().size()];
        Object[] known = {
            run,
            lost.task(),
            lost.trial(),
            loss(reaped.session(), 0),
            TrialStatus.LOST.ordinal(),
            worker,
            0,
            reaped.at(),
            reaped.at(),
            0
        };
        System.arraycopy(known, 0, row, 0, known.length);
        row[12] = "WorkerLost";
        row[22] = 0;
        put(Tables.TRIALS, row);
    }

    void worker(String keyspace, HistoryEntry.Worker entry) {
        WorkerEvent event = entry.event();
        boolean leave = event.phase() == HistoryEntry.Phase.LEAVE;
        add(
                Tables.WORKERS,
                keyspace,
                entry.session(),
                leave ? null : event.pool(),
                leave ? null : event.pod(),
                leave ? null : event.podUid(),
                leave ? null : event.node(),
                leave ? null : event.slots(),
                leave ? null : event.speedMilli(),
                event.phase() == HistoryEntry.Phase.JOIN ? entry.at() : null,
                leave ? entry.at() : null,
                leave ? event.reason().orElse("") : null);
        Long run = runs.get(entry.uid());
        if (event.phase() == HistoryEntry.Phase.PREPARE && run != null) {
            long worker = workers.get(entry.session());
            put(Tables.RUN_WORKERS, run, worker);
            prepared(
                    run,
                    worker,
                    event.startedAt().orElse(null),
                    event.rsyncFinishedAt().orElse(null),
                    event.setupFinishedAt().orElse(null),
                    event.finishedAt().orElse(null),
                    event.reason().orElse(null),
                    silent.contains(run) ? null : orNull(event.log()));
            count(run, ROW_BYTES + event.log().length);
        }
    }

    /** The same within a batch as the table's key decides between two: the first start stays, the last end counts. */
    private void prepared(Object... row) {
        Object[] before = before(Tables.WORKER_LOGS, row);
        if (before != null) {
            for (int i = STARTED_AT; i < FINISHED_AT; i++) {
                row[i] = before[i] == null ? row[i] : before[i];
            }
            row[LOG] = row[LOG] == null ? before[LOG] : row[LOG];
        }
        put(Tables.WORKER_LOGS, row);
    }

    void named(String namespace, HistoryEntry.Named entry) {
        Long run = runs.get(entry.uid());
        if (run == null) {
            return;
        }
        RunNames names = entry.names();
        for (RunNames.Node node : names.nodes()) {
            // What tells only how a node ended has no name.
            Object[] before = node.name().isEmpty() ? before(Tables.NODES, run, node.ordinal()) : null;
            put(
                    Tables.NODES,
                    run,
                    node.ordinal(),
                    node.parent(),
                    node.kind(),
                    before == null ? node.name() : before[NODE_NAME],
                    node.state(),
                    node.first(),
                    node.n());
            count(run, ROW_BYTES + node.name().length());
        }
        if (!names.names().isEmpty() && !names.sourceHash().isEmpty()) {
            byte[] packed = NameBlock.pack(names.names());
            put(
                    Tables.NAMES,
                    namespace,
                    names.sourceHash(),
                    names.firstTask(),
                    names.names().size(),
                    packed,
                    NameBlock.hashes(names.names()));
            count(run, ROW_BYTES + packed.length);
        }
    }

    void ranged(HistoryEntry.Ranged entry) {
        Long run = runs.get(entry.uid());
        if (run == null) {
            return;
        }
        NodeRange range = entry.range();
        put(
                Tables.NODE_RANGES,
                run,
                range.first(),
                range.kind().ordinal(),
                range.parent(),
                range.n(),
                range.stride(),
                range.origin());
        count(run, ROW_BYTES);
    }

    void unread(String keyspace, ReceivedEntry received, Optional<String> uid, long now) {
        put(
                Tables.UNREAD,
                keyspace,
                received.id(),
                uid.orElse(null),
                UnreadFields.kind(received.fields()),
                UnreadFields.pack(received.fields()),
                received.error(),
                now);
    }
}
