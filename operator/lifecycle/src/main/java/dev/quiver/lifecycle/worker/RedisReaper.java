package dev.quiver.lifecycle.worker;

import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.LeaseTimes;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.Script;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.redis.SentCall;
import dev.quiver.lifecycle.redis.StoreRefusedException;

/**
 * Drives watch, promote, fence and reap. Every step can be repeated by anyone, so dying in the middle leaves nothing
 * behind. A tick that stops early leaves nothing behind either. The keyspace's tenant decides how much there is, so
 * each tick does only so much. A source of a kind that only a newer program knows is left to that.
 */
public final class RedisReaper implements Reaper {

    private static final Logger LOG = LoggerFactory.getLogger(RedisReaper.class);
    private static final int SESSIONS = 500;

    /** Calls of one tick: the sessions of a hundred pods that died together, or 250,000 due tasks. */
    private static final int CALLS_A_TICK = 1000;

    /** Calls for one session at its own end, which nobody else waits for. */
    private static final int CALLS_AN_END = 10_000;

    private final RedisStore store;
    private final BoundedReads reads;
    private final Keyspace keyspace;
    private final LeaseTimes times;
    private final SourceKinds kinds;

    public RedisReaper(RedisStore store, Keyspace keyspace, LeaseTimes times, SourceKinds kinds) {
        this.store = store;
        this.reads = new BoundedReads(store);
        this.keyspace = keyspace;
        this.times = times;
        this.kinds = kinds;
    }

    @Override
    public Reaped tick() {
        return rest(store.run(WorkerScripts.WATCH, watchKeys(), watchArguments()));
    }

    @Override
    public Optional<SentCall<Begun>> send() {
        return store.send(WorkerScripts.WATCH, watchKeys(), watchArguments())
                .map(call -> call.read(watched -> watched.code() == ScriptCode.NOTHING
                        ? Begun.DONE
                        : new Begun(Optional.of(() -> rest(watched)))));
    }

    private String[] watchKeys() {
        return WorkerScripts.WATCH.keys(keyspace::key, List.of());
    }

    private String[] watchArguments() {
        return new String[] {
            Long.toString(times.lease().toMillis()),
            Long.toString(WorkerSessions.LONGEST_ADOPTION.toMillis()),
            Long.toString(times.silence().toMillis()),
            Long.toString(times.pause().toMillis()),
            Integer.toString(SESSIONS)
        };
    }

    private Reaped rest(ScriptReply watched) {
        Reaped all = Reaped.NONE;
        if (watched.code() == ScriptCode.NOTHING) {
            return all;
        }
        // Each has its own half: delayed tasks that never end must not keep the dead workers' from coming back.
        CallBudget promotions = new CallBudget(CALLS_A_TICK / 2);
        for (String source : watched.texts("due")) {
            kinds.find(source).ifPresent(kind -> promote(kind, source, promotions));
        }
        CallBudget ends = new CallBudget(CALLS_A_TICK / 2);
        for (String session : watched.texts("sessions")) {
            all = all.plus(end(session, false, ends));
        }
        return all;
    }

    /** A refusal of Redis about one source keeps no other source back, nor the sessions that died. */
    private static void promote(SourceKind kind, String source, CallBudget budget) {
        try {
            kind.promote(source, budget);
        } catch (StoreRefusedException refused) {
            if (refused.passing()) {
                throw refused;
            }
            LOG.warn("what is due of source {} is left: {}", source, refused.getMessage());
        }
    }

    /** Ends one session and takes back what it holds; what is beyond all bounds is left to ticks. */
    Reaped end(String session, boolean byItself) {
        return end(session, byItself, new CallBudget(CALLS_AN_END));
    }

    private Reaped end(String session, boolean byItself, CallBudget budget) {
        if (!BoundedReads.isSession(session) || !budget.take(2)) {
            return Reaped.NONE;
        }
        String pool = reads.pool(keyspace.session(session)).orElse(SessionKeys.NO_POOL);
        SessionKeys keys = new SessionKeys(keyspace, pool, session);
        ScriptReply fenced = run(
                WorkerScripts.FENCE,
                keys::key,
                session,
                byItself ? "1" : "0",
                pool,
                WorkerEntries.left(pool, byItself ? "closed" : "lease ended"));
        if (fenced.code() == ScriptCode.NOTHING) {
            return Reaped.NONE;
        }
        Reaped all = new Reaped(fenced.count("fenced"), 0, 0);
        for (String source : fenced.texts("sources")) {
            all = all.plus(kinds.find(source)
                    .map(kind -> kind.reap(keys, source, budget))
                    .orElse(Reaped.NONE));
        }
        return all;
    }

    private ScriptReply run(Script script, UnaryOperator<String> keys, String... arguments) {
        return store.run(script, script.keys(keys, List.of()), arguments);
    }
}
