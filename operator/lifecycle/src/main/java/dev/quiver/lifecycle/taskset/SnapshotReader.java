package dev.quiver.lifecycle.taskset;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import io.lettuce.core.KeyValue;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

import dev.quiver.lifecycle.Keyspace;
import dev.quiver.lifecycle.RedisStore;
import dev.quiver.lifecycle.taskset.ExecutionSpec.TaskSource;

/**
 * Reads the counters of many sets. A set's hash is read by one command, so its numbers belong together; its samples and
 * workers may be a moment younger.
 */
final class SnapshotReader {

    private static final int BATCH = 256;

    private static final String[] FIELDS = {
        "pool",
        "status",
        "reason",
        "message",
        "count",
        "source_closed",
        "left",
        "running",
        "succeeded_count",
        "failed_count",
        "trials",
        "lost_count",
        "created_at",
        "started_at",
        "finished_at",
        "progress_at",
        "run_ms",
        "passed_ms"
    };

    private final RedisStore store;
    private final Keyspace keyspace;

    SnapshotReader(RedisStore store, Keyspace keyspace) {
        this.store = store;
        this.keyspace = keyspace;
    }

    private record Raw(Map<String, String> fields, Map<String, String> failures, long workers) {}

    private record Read(List<Raw> raws, Instant time) {}

    Map<String, TaskSetSnapshot> read(Collection<String> uids) {
        Map<String, TaskSetSnapshot> all = new LinkedHashMap<>();
        List<String> batch = new ArrayList<>(BATCH);
        for (String uid : uids) {
            batch.add(uid);
            if (batch.size() == BATCH) {
                readBatch(batch, all);
                batch.clear();
            }
        }
        if (!batch.isEmpty()) {
            readBatch(batch, all);
        }
        return all;
    }

    private void readBatch(List<String> uids, Map<String, TaskSetSnapshot> all) {
        Read read = store.ask(redis -> {
            var clock = redis.time().thenApply(RedisTime::of).toCompletableFuture();
            List<CompletableFuture<Raw>> raws =
                    uids.stream().map(uid -> readOne(redis, uid)).toList();
            return CompletableFuture.allOf(raws.toArray(CompletableFuture[]::new))
                    .thenCombine(
                            clock,
                            (nothing, time) -> new Read(
                                    raws.stream().map(CompletableFuture::join).toList(), time));
        });
        for (int i = 0; i < uids.size(); i++) {
            Raw raw = read.raws().get(i);
            if (raw.fields().get("status") != null) {
                all.put(uids.get(i), snapshot(uids.get(i), raw, read.time()));
            }
        }
    }

    private CompletableFuture<Raw> readOne(RedisClusterAsyncCommands<String, String> redis, String uid) {
        TaskSetKeys keys = new TaskSetKeys(keyspace, uid);
        var fields = redis.hmget(keys.set(), FIELDS).toCompletableFuture();
        var failures = redis.hgetall(keys.failures()).toCompletableFuture();
        var workers = redis.zcard(keys.sessions()).toCompletableFuture();
        return CompletableFuture.allOf(fields, failures, workers)
                .thenApply(nothing -> new Raw(named(fields.join()), failures.join(), workers.join()));
    }

    private static Map<String, String> named(List<KeyValue<String, String>> values) {
        Map<String, String> named = new HashMap<>();
        values.forEach(value -> named.put(value.getKey(), value.getValueOrElse(null)));
        return named;
    }

    private TaskSetSnapshot snapshot(String uid, Raw raw, Instant storeTime) {
        Map<String, String> fields = raw.fields();
        TaskSetStatus status = OwnTaskSetControl.status(fields.get("status"));
        long running = number(fields, "running");
        return new TaskSetSnapshot(
                uid,
                fields.get("pool"),
                status,
                fields.get("reason"),
                fields.get("message"),
                number(fields, "count"),
                number(fields, "source_closed") == 1,
                status.isFinal() ? 0 : number(fields, "left") - running,
                running,
                number(fields, "succeeded_count"),
                number(fields, "failed_count"),
                number(fields, "trials"),
                number(fields, "lost_count"),
                Math.toIntExact(raw.workers()),
                Instant.ofEpochMilli(number(fields, "created_at")),
                time(fields, "started_at"),
                time(fields, "finished_at"),
                time(fields, "progress_at"),
                Duration.ofMillis(number(fields, "run_ms")),
                Duration.ofMillis(number(fields, "passed_ms")),
                storeTime,
                failures(uid, raw.failures()));
    }

    private List<TaskFailure> failures(String uid, Map<String, String> entries) {
        Optional<TaskSource> source =
                entries.values().stream().anyMatch(FailureSample::needsSource) ? source(uid) : Optional.empty();
        Map<Long, TaskFailure> ended = new TreeMap<>();
        Map<Long, TaskFailure> again = new TreeMap<>();
        entries.forEach((id, entry) -> {
            TaskFailure failure = FailureSample.read(Long.parseLong(id), entry, source);
            (failure.last() ? ended : again).put(Long.parseLong(id), failure);
        });
        List<TaskFailure> all = new ArrayList<>(ended.values());
        all.addAll(again.values());
        return List.copyOf(all);
    }

    private Optional<TaskSource> source(String uid) {
        return new SpecReader(store, keyspace).read(uid).map(ExecutionSpec::source);
    }

    private static long number(Map<String, String> fields, String name) {
        return Long.parseLong(fields.get(name));
    }

    private static Optional<Instant> time(Map<String, String> fields, String name) {
        long millis = number(fields, name);
        return millis == 0 ? Optional.empty() : Optional.of(Instant.ofEpochMilli(millis));
    }
}
