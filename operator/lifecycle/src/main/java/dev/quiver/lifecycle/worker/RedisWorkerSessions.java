package dev.quiver.lifecycle.worker;

import java.time.Duration;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.KeyspaceHealth;
import dev.quiver.lifecycle.keyspace.LeaseTimes;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.redis.StoreException;

/** Opens sessions in Redis. */
public final class RedisWorkerSessions implements WorkerSessions {

    private static final Logger LOG = LoggerFactory.getLogger(RedisWorkerSessions.class);

    /** Sessions of one pool at most: four times the pods that a pool may have. */
    public static final int MOST_SESSIONS = 4096;

    private final RedisStore store;
    private final Keyspace keyspace;
    private final LeaseTimes times;
    private final SourceKinds kinds;
    private final RedisReaper reaper;

    public RedisWorkerSessions(RedisStore store, Keyspace keyspace, LeaseTimes times, SourceKinds kinds) {
        this.store = store;
        this.keyspace = keyspace;
        this.times = times;
        this.kinds = kinds;
        this.reaper = new RedisReaper(store, keyspace, times, kinds);
    }

    @Override
    public WorkerSessions.Outcome open(WorkerIdentity worker, Duration left) {
        if (left.isNegative() || left.compareTo(LONGEST_ADOPTION) > 0) {
            throw new IllegalArgumentException(
                    "what is left for adoption, " + left + ", must be at most " + LONGEST_ADOPTION);
        }
        String session = KeyspaceHealth.randomName();
        SessionKeys keys = new SessionKeys(keyspace, worker.pool(), session);
        ScriptReply reply = store.run(
                WorkerScripts.OPEN_SESSION,
                WorkerScripts.OPEN_SESSION.keys(keys::key, List.of()),
                session,
                Long.toString(times.lease().toMillis()),
                worker.pool(),
                worker.poolUid(),
                worker.podUid(),
                WorkerRecordJson.write(worker, WorkerState.of(0, false), store.library()),
                Integer.toString(MOST_SESSIONS),
                Long.toString(left.toMillis()),
                WorkerEntries.joined(worker),
                WorkerEntries.left(worker.pool(), "replaced"));
        return switch (reply.code()) {
            case OK -> {
                String earlier = reply.text("earlier");
                if (left.isZero()) {
                    takeBack(earlier);
                    yield new WorkerSessions.Outcome.Opened(session(keys, worker));
                }
                yield new WorkerSessions.Outcome.Opened(session(keys.withEarlier(earlier), worker));
            }
            case POOL_REPLACED -> new WorkerSessions.Outcome.PoolReplaced(reply.text("uid"));
            case POOL_FULL -> new WorkerSessions.Outcome.PoolFull();
            case POOL_UNKNOWN -> new WorkerSessions.Outcome.PoolUnknown();
            default -> throw reply.unexpected();
        };
    }

    private WorkerSession session(SessionKeys keys, WorkerIdentity worker) {
        return new RedisWorkerSession(new SessionCalls(store, keys), worker, times, kinds, reaper);
    }

    /** Queues again what the pod's earlier session held. Already fenced, so whoever ticks next does it otherwise. */
    private void takeBack(String earlier) {
        if (earlier.isEmpty()) {
            return;
        }
        try {
            Reaper.Reaped reaped = reaper.end(earlier, false);
            LOG.info(
                    "session {} of this pod was fenced: {} tasks run again, {} had lost their worker too often",
                    earlier,
                    reaped.requeued(),
                    reaped.failed());
        } catch (StoreException e) {
            LOG.info("session {} of this pod is left to the reaper: {}", earlier, e.getMessage());
        }
    }
}
