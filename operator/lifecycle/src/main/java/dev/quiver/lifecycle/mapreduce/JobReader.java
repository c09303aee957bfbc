package dev.quiver.lifecycle.mapreduce;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.CombineTree;
import dev.quiver.lifecycle.ordinals.FailureSample;
import dev.quiver.lifecycle.ordinals.OrdinalKeys;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.task.keys.TreeIds;
import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.queue.ChunkKind;
import dev.quiver.lifecycle.task.tree.TaskTrees;
import dev.quiver.lifecycle.worker.TrialFailure;

/** Reads jobs for people, each in two calls whose answers are bounded. Thread-safe. */
public record JobReader(RedisStore store, Keyspace keyspace) {

    /** The nodes of a job: its root, map, chunks, reduce and the one at its end. */
    private static final int NODES = 5;

    private static final int SAMPLES = 8;
    private static final int SAMPLE_BYTES = 256 << 10;

    private static final List<String> FIELDS = List.of(
            "count",
            "fan_in",
            "succeeded_count",
            "failed_count",
            "skipped_count",
            "running",
            "delayed",
            "combines_done",
            "combines_run",
            "trials",
            "run_ms",
            "bytes",
            "finished_at");

    /**
     * A job.
     *
     * @param chunks ordinal of the node with chunks: 1 without map, else 2
     * @param mostSkipped numbers of skipped chunks at most
     * @return absent for one that is not there, or that never began
     */
    public Optional<JobSnapshot> find(String tree, int chunks, int mostSkipped) {
        return new TaskTrees(store, keyspace)
                .report(tree, NODES)
                .map(report -> new JobSnapshot(report, counts(report, tree, chunks, mostSkipped)));
    }

    private Optional<ChunkCounts> counts(TreeReport report, String tree, int chunks, int mostSkipped) {
        String node = TreeIds.node(tree, chunks);
        boolean begun =
                report.nodes().stream().anyMatch(it -> it.id().equals(node) && it.state() != TreeState.State.WAITING);
        return begun ? counts(node, mostSkipped) : Optional.empty();
    }

    private Optional<ChunkCounts> counts(String node, int mostSkipped) {
        OrdinalKeys keys = new ChunkKind(store, keyspace).keys(ChunkKind.source(node));
        List<String> arguments = new ArrayList<>(
                List.of(Integer.toString(SAMPLES), Integer.toString(SAMPLE_BYTES), Integer.toString(mostSkipped)));
        arguments.addAll(FIELDS);
        ScriptReply reply = store.run(
                JobScripts.CHUNKS,
                new String[] {keys.hash(), keys.failures(), keys.skipped()},
                arguments.toArray(String[]::new));
        return BoundedReads.understood(keys.hash(), () -> read(reply));
    }

    private static Optional<ChunkCounts> read(ScriptReply reply) {
        List<String> values = reply.texts("fields");
        Map<String, Long> fields = new LinkedHashMap<>();
        for (int i = 0; i < FIELDS.size(); i++) {
            if (!values.get(i).isEmpty()) {
                fields.put(FIELDS.get(i), Long.parseLong(values.get(i)));
            }
        }
        if (fields.size() < FIELDS.size()) {
            return Optional.empty(); // its chunks are still being brought, or it never had any
        }
        CombineTree combines = new CombineTree(fields.get("count"), Math.toIntExact(fields.get("fan_in")));
        Map<Long, TrialFailure> ended = new TreeMap<>();
        Map<Long, TrialFailure> again = new TreeMap<>();
        for (ScriptReply.Row row : reply.rows("failures")) {
            long id = Long.parseLong(row.text("id"));
            TrialFailure failure = named(FailureSample.read(id, row.text("failure"), Optional.empty()), id, combines);
            (failure.last() ? ended : again).put(id, failure);
        }
        List<TrialFailure> failures = new ArrayList<>(ended.values());
        failures.addAll(again.values());
        List<Integer> skipped =
                reply.texts("skipped").stream().map(Integer::valueOf).toList();
        boolean over = fields.get("finished_at") > 0;
        return Optional.of(new ChunkCounts(
                combines.count(),
                fields.get("succeeded_count") - fields.get("combines_run"),
                fields.get("failed_count"),
                fields.get("skipped_count"),
                over ? 0 : fields.get("running"),
                over ? 0 : fields.get("delayed"),
                combines.fanIn() == 0 ? 0 : combines.combines(),
                fields.get("combines_done"),
                fields.get("trials"),
                Duration.ofMillis(fields.get("run_ms")),
                fields.get("bytes"),
                Instant.ofEpochMilli(reply.number("now")),
                skipped,
                failures));
    }

    /** A sample of a lost worker has the number of its task in place of a name. */
    private static TrialFailure named(TrialFailure failure, long id, CombineTree combines) {
        if (!failure.task().equals(Long.toString(id))) {
            return failure;
        }
        String name = combines.isCombine(id) ? "combine-" + (id - combines.count()) : "chunk-" + id;
        return new TrialFailure(
                name,
                failure.trial(),
                failure.exitCode(),
                failure.signal(),
                failure.reason(),
                failure.message(),
                failure.last());
    }
}
