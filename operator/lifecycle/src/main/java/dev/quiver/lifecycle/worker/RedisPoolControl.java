package dev.quiver.lifecycle.worker;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.LeaderCalls;
import dev.quiver.lifecycle.redis.BinaryText;
import dev.quiver.lifecycle.redis.ScriptReply;

/** The operator's side of pools in Redis. */
public final class RedisPoolControl implements PoolControl {

    private final LeaderCalls calls;
    private final Keyspace keyspace;

    public RedisPoolControl(LeaderCalls calls) {
        this.calls = calls;
        this.keyspace = calls.keyspace();
    }

    @Override
    public void announce(String pool, String poolUid) {
        calls.run(WorkerScripts.ANNOUNCE, SessionKeys.ofPool(keyspace, pool)::key, poolUid);
    }

    @Override
    public void record(String pool, String poolUid, Optional<QueueRecord> how) {
        calls.run(
                WorkerScripts.RECORD_QUEUE,
                SessionKeys.ofPool(keyspace, pool)::key,
                poolUid,
                how.map(record -> record.recording().word()).orElse(""),
                how.map(record -> BinaryText.marked(record.opening().encode())).orElse(""));
    }

    @Override
    public Registered workers(Collection<String> pools, long mostBytes) {
        String[] keys = pools.stream().map(keyspace::poolWorkers).toArray(String[]::new);
        Map<String, List<WorkerRecord>> all = new LinkedHashMap<>();
        if (keys.length == 0) {
            return new Registered(all, 0);
        }
        ScriptReply reply = calls.store()
                .run(
                        WorkerScripts.ROSTER,
                        keys,
                        Integer.toString(RedisWorkerSessions.MOST_SESSIONS),
                        Long.toString(mostBytes));
        Instant time = Instant.ofEpochMilli(reply.number("now"));
        ScriptReply.Rest rest = reply.rest("pools");
        for (String pool : pools) {
            List<WorkerRecord> records = new ArrayList<>();
            for (long left = rest.number(); left > 0; left--) {
                WorkerRecordJson.read(rest.text(), rest.text(), time).ifPresent(records::add);
            }
            all.put(pool, records);
        }
        return new Registered(all, reply.number("bytes"));
    }

    @Override
    public void drain(String pool, String podUid) {
        calls.run(WorkerScripts.DRAIN, SessionKeys.ofPool(keyspace, pool)::key, podUid, 1);
    }

    @Override
    public void undrain(String pool, String podUid) {
        calls.run(WorkerScripts.DRAIN, SessionKeys.ofPool(keyspace, pool)::key, podUid, 0);
    }

    @Override
    public void keepDraining(String pool, Collection<String> podUids) {
        calls.run(WorkerScripts.KEEP_DRAINING, SessionKeys.ofPool(keyspace, pool)::key, podUids.toArray());
    }

    @Override
    public void noteFate(String pool, String podUid, String fate) {
        note(pool, podUid, true, fate);
    }

    @Override
    public void noteContainerEnd(String pool, String podUid, String end) {
        note(pool, podUid, false, end);
    }

    private void note(String pool, String podUid, boolean over, String fate) {
        String words = fate.replaceAll("[^ -~]", "?");
        new BoundedReads(calls.store())
                .fields(keyspace.poolPods(pool), BoundedReads.NAME_BYTES, podUid)
                .getFirst()
                .filter(BoundedReads::isSession)
                .ifPresent(session -> calls.run(
                        WorkerScripts.NOTE_FATE,
                        new SessionKeys(keyspace, pool, session)::key,
                        podUid,
                        over ? 1 : 0,
                        words.substring(0, Math.min(words.length(), FATE_BYTES))));
    }

    @Override
    public void drop(String pool, String poolUid) {
        calls.run(WorkerScripts.DROP_POOL, SessionKeys.ofPool(keyspace, pool)::key, poolUid);
    }
}
