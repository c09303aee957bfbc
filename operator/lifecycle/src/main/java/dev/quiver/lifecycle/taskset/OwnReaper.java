package dev.quiver.lifecycle.taskset;

import java.util.List;

import dev.quiver.lifecycle.Keyspace;
import dev.quiver.lifecycle.RedisStore;
import dev.quiver.lifecycle.Script;
import dev.quiver.lifecycle.ScriptCode;
import dev.quiver.lifecycle.ScriptReply;

/**
 * Drives watch, promote, condemn and reap. Every step can be repeated by anyone, so dying in the middle leaves nothing
 * behind.
 */
final class OwnReaper implements Reaper {

    private static final int SESSIONS = 500;
    private static final int TASKS = 64;
    private static final int PROMOTIONS = 256;

    private final RedisStore store;
    private final Keyspace keyspace;
    private final LeaseTimes times;

    OwnReaper(RedisStore store, Keyspace keyspace, LeaseTimes times) {
        this.store = store;
        this.keyspace = keyspace;
        this.times = times;
    }

    @Override
    public Reaped tick() {
        ScriptReply watched = run(
                TaskSetScripts.WATCH,
                ScriptKeys.ofKeyspace(keyspace),
                Long.toString(times.lease().toMillis()),
                Long.toString(times.silence().toMillis()),
                Long.toString(times.pause().toMillis()),
                Integer.toString(SESSIONS));
        Reaped all = new Reaped(0, 0, 0);
        if (watched.code() == ScriptCode.NOTHING) {
            return all;
        }
        int sessions = 2 + Math.toIntExact(watched.number(1));
        for (int i = 2; i < sessions; i++) {
            promote(watched.text(i));
        }
        for (int i = sessions; i < watched.size(); i++) {
            all = plus(all, end(watched.text(i), false));
        }
        return all;
    }

    /** Queues the delayed tasks of a set that are due. */
    private void promote(String uid) {
        String set = new TaskSetKeys(keyspace, uid).set();
        String pool = store.field(set, "pool").orElse(ScriptKeys.NO_POOL);
        ScriptKeys keys = ScriptKeys.ofSet(keyspace, pool, uid);
        ScriptReply reply;
        do {
            reply = run(TaskSetScripts.PROMOTE, keys, uid, Integer.toString(PROMOTIONS));
        } while (reply.code() == ScriptCode.OK && reply.number(2) == 1);
    }

    /** Ends one session and takes back what it holds. */
    Reaped end(String session, boolean byItself) {
        String hash = keyspace.session(session);
        String pool = store.field(hash, "pool").orElse(ScriptKeys.NO_POOL);
        ScriptKeys keys = new ScriptKeys(keyspace, pool, session, "");
        ScriptReply condemned = run(TaskSetScripts.CONDEMN, keys, session, byItself ? "1" : "0");
        Reaped all = new Reaped(0, 0, 0);
        if (condemned.code() == ScriptCode.NOTHING) {
            return all;
        }
        all = plus(all, new Reaped(Math.toIntExact(condemned.number(1)), 0, 0));
        for (int i = 2; i < condemned.size(); i++) {
            all = plus(all, reap(keys.withUid(condemned.text(i))));
        }
        return all;
    }

    private Reaped reap(ScriptKeys keys) {
        Reaped all = new Reaped(0, 0, 0);
        ScriptReply reply;
        do {
            reply = run(TaskSetScripts.REAP, keys, keys.session(), keys.uid(), Integer.toString(TASKS));
            if (reply.code() == ScriptCode.NOTHING) {
                return all;
            }
            all = plus(all, new Reaped(0, Math.toIntExact(reply.number(1)), Math.toIntExact(reply.number(2))));
        } while (reply.number(3) == 1);
        return all;
    }

    private ScriptReply run(Script script, ScriptKeys keys, String... arguments) {
        return store.run(script, script.keys(keys::key, List.of()), arguments);
    }

    private static Reaped plus(Reaped one, Reaped other) {
        return new Reaped(
                one.sessions() + other.sessions(), one.requeued() + other.requeued(), one.failed() + other.failed());
    }
}
