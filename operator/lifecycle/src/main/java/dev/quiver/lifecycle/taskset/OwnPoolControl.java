package dev.quiver.lifecycle.taskset;

import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import dev.quiver.lifecycle.Keyspace;

/** The operator's side of pools in the own dialect. */
final class OwnPoolControl implements PoolControl {

    private final LeaderCalls calls;
    private final Keyspace keyspace;

    OwnPoolControl(LeaderCalls calls) {
        this.calls = calls;
        this.keyspace = calls.keyspace();
    }

    @Override
    public void announce(String pool, String poolUid) {
        calls.run(TaskSetScripts.ANNOUNCE, ScriptKeys.ofPool(keyspace, pool), poolUid);
    }

    @Override
    public Map<String, List<WorkerRecord>> workers(Collection<String> pools) {
        return calls.store().ask(redis -> {
            var clock = redis.time().thenApply(RedisTime::of).toCompletableFuture();
            Map<String, CompletableFuture<Map<String, String>>> reads = new LinkedHashMap<>();
            for (String pool : pools) {
                reads.put(pool, redis.hgetall(keyspace.poolWorkers(pool)).toCompletableFuture());
            }
            return CompletableFuture.allOf(reads.values().toArray(CompletableFuture[]::new))
                    .thenCombine(clock, (nothing, time) -> {
                        Map<String, List<WorkerRecord>> all = new LinkedHashMap<>();
                        reads.forEach((pool, entries) -> all.put(pool, records(entries.join(), time)));
                        return all;
                    });
        });
    }

    private static List<WorkerRecord> records(Map<String, String> entries, Instant time) {
        return entries.entrySet().stream()
                .flatMap(entry -> WorkerRecordJson.read(entry.getKey(), entry.getValue(), time).stream())
                .toList();
    }

    @Override
    public void drain(String pool, String podUid) {
        calls.run(TaskSetScripts.DRAIN, ScriptKeys.ofPool(keyspace, pool), podUid, 1);
    }

    @Override
    public void undrain(String pool, String podUid) {
        calls.run(TaskSetScripts.DRAIN, ScriptKeys.ofPool(keyspace, pool), podUid, 0);
    }

    @Override
    public void drop(String pool, String poolUid) {
        calls.run(TaskSetScripts.DROP_POOL, ScriptKeys.ofPool(keyspace, pool), poolUid);
    }
}
