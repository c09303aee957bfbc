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
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.regex.Pattern;

import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;
import dev.quiver.lifecycle.ordinals.FailureSample;
import dev.quiver.lifecycle.ordinals.OrdinalKeys;
import dev.quiver.lifecycle.ordinals.SpecReader;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.worker.TrialFailure;

/**
 * Reads the counters of many sets, those of one batch at one moment.
 */
final class SnapshotReader {

    private static final int BATCH = 64;

    /** These bytes include the specification, which is as large as a resource can be. */
    private static final int SET_BYTES = 4 << 20;

    private static final int SAMPLES = 8;

    /** The status has room for so many; a tenant may write others. */
    private static final int HASH_CHARACTERS = 64;

    /** No resource has a longer name. */
    private static final int GATE_CHARACTERS = 128;

    private static final int SAMPLE_BYTES = 256 << 10;

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
        "pending_count",
        "speculated",
        "failed_count",
        "trials",
        "lost_count",
        "created_at",
        "started_at",
        "finished_at",
        "progress_at",
        "run_ms",
        "passed_ms",
        "source_hash",
        "ordered",
        "cursor",
        "tail",
        "fresh_ms",
        "order_ms",
        "order_error",
        "gate"
    };

    private static final Pattern SMALL = Pattern.compile("\\d{1,15}");

    private final RedisStore store;
    private final Keyspace keyspace;

    SnapshotReader(RedisStore store, Keyspace keyspace) {
        this.store = store;
        this.keyspace = keyspace;
    }

    private record Raw(Map<String, String> fields, Map<String, String> failures, long workers) {}

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
        List<String> keys = new ArrayList<>(uids.size() * 3);
        for (String uid : uids) {
            OrdinalKeys set = new TaskSetKeys(keyspace, uid).source();
            keys.addAll(List.of(set.hash(), set.failures(), set.sessions()));
        }
        List<String> arguments = new ArrayList<>(List.of("" + SET_BYTES, "" + SAMPLES, "" + SAMPLE_BYTES));
        arguments.addAll(List.of(FIELDS));
        ScriptReply reply =
                store.run(TaskSetScripts.SNAPSHOT, keys.toArray(String[]::new), arguments.toArray(String[]::new));
        Instant time = Instant.ofEpochMilli(reply.number("now"));
        ScriptReply.Rest sets = reply.rest("sets");
        for (String uid : uids) {
            Map<String, String> fields = new HashMap<>();
            for (String name : FIELDS) {
                fields.put(name, sets.text());
            }
            long workers = sets.number();
            Map<String, String> failures = new HashMap<>();
            for (long left = sets.number(); left > 0; left--) {
                failures.put(sets.text(), sets.text());
            }
            if (fields.get("status") != null) {
                Raw raw = new Raw(fields, failures, workers);
                all.put(
                        uid,
                        BoundedReads.understood(new TaskSetKeys(keyspace, uid).set(), () -> snapshot(uid, raw, time)));
            }
        }
    }

    private TaskSetSnapshot snapshot(String uid, Raw raw, Instant storeTime) {
        Map<String, String> fields = raw.fields();
        TaskSetState status = RedisTaskSetControl.status(fields.get("status"));
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
                fields.get("pending_count") == null ? 0 : number(fields, "pending_count"),
                small(fields, "speculated").orElse(0),
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
                Optional.ofNullable(fields.get("source_hash"))
                        .filter(hash -> !hash.isEmpty() && hash.length() <= HASH_CHARACTERS),
                order(fields),
                Optional.ofNullable(fields.get("gate")).filter(gate -> gate.length() <= GATE_CHARACTERS),
                failures(uid, raw.failures()));
    }

    /** A tenant may write these; what makes no sense is no order. */
    private static Optional<OrderProgress> order(Map<String, String> fields) {
        OptionalLong tasks = small(fields, "ordered");
        OptionalLong whole = small(fields, "order_ms");
        OptionalLong fresh = small(fields, "fresh_ms");
        if (tasks.orElse(0) == 0 || whole.isEmpty() || fresh.isEmpty()) {
            return Optional.empty();
        }
        long given = small(fields, "cursor").orElse(0) + small(fields, "tail").orElse(0);
        OptionalInt error = small(fields, "order_error").stream()
                .mapToInt(percent -> (int) Math.min(percent, ClaimOrder.MOST_ERROR))
                .findFirst();
        return Optional.of(new OrderProgress(
                tasks.getAsLong(),
                given,
                Duration.ofMillis(whole.getAsLong()),
                Duration.ofMillis(Math.min(fresh.getAsLong(), whole.getAsLong())),
                error));
    }

    private static OptionalLong small(Map<String, String> fields, String name) {
        String text = fields.get(name);
        return text != null && SMALL.matcher(text).matches()
                ? OptionalLong.of(Long.parseLong(text))
                : OptionalLong.empty();
    }

    private List<TrialFailure> failures(String uid, Map<String, String> entries) {
        Optional<TaskSource> source =
                entries.values().stream().anyMatch(FailureSample::needsSource) ? source(uid) : Optional.empty();
        Map<Long, TrialFailure> ended = new TreeMap<>();
        Map<Long, TrialFailure> again = new TreeMap<>();
        entries.forEach((id, entry) -> {
            TrialFailure failure = FailureSample.read(Long.parseLong(id), entry, source);
            (failure.last() ? ended : again).put(Long.parseLong(id), failure);
        });
        List<TrialFailure> all = new ArrayList<>(ended.values());
        all.addAll(again.values());
        return List.copyOf(all);
    }

    private Optional<TaskSource> source(String uid) {
        return new SpecReader(store)
                .read(new TaskSetKeys(keyspace, uid).source())
                .map(ExecutionSpec::source);
    }

    private static long number(Map<String, String> fields, String name) {
        return Long.parseLong(fields.get(name));
    }

    private static Optional<Instant> time(Map<String, String> fields, String name) {
        long millis = number(fields, name);
        return millis == 0 ? Optional.empty() : Optional.of(Instant.ofEpochMilli(millis));
    }
}
