package dev.quiver.lifecycle.keyspace;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.redis.StoreRefusedException;

/** Reads {@code P meta}, decides, and writes it. */
public final class OwnKeyspaceHealth implements KeyspaceHealth {

    /** Version of the keys' layout. */
    static final int SCHEMA = 1;

    /** Longer than a tombstone, and than any leader is stopped and goes on. */
    private static final Duration RETIRED_AGE = Duration.ofHours(24);

    private static final SecureRandom RANDOM = new SecureRandom();

    private final LeaderCalls calls;
    private final LeaseTimes times;

    public OwnKeyspaceHealth(LeaderCalls calls, LeaseTimes times) {
        this.calls = calls;
        this.times = times;
    }

    @Override
    public Observation observe(Optional<StoreFacts> known) {
        String meta = calls.keyspace().meta();
        Optional<String> runId = calls.store().runId(meta);
        List<Optional<String>> there = new BoundedReads(calls.store()).fields(meta, "epoch", "beat");
        Optional<StoreFacts> seen = BoundedReads.understood(
                meta,
                () -> there.getFirst()
                        .map(epoch -> new StoreFacts(
                                epoch, Long.parseLong(there.get(1).orElse("")), runId)));
        StoreVerdict verdict = StoreLoss.decide(known, seen);
        long grace = verdict instanceof StoreVerdict.Same ? 0 : times.lease().toMillis();
        ScriptReply reply = calls.run(
                KeyspaceScripts.OBSERVE, calls.keyspace()::key, SCHEMA, randomName(), runId.orElse(""), grace);
        if (reply.code() == ScriptCode.SCHEMA) {
            throw new StoreRefusedException(
                    StoreRefusedException.Kind.OTHER,
                    "keyspace " + calls.keyspace().prefix() + " has layout " + reply.number(1)
                            + ", written by a newer version; this one knows " + SCHEMA,
                    null);
        }
        return new Observation(verdict, new StoreFacts(reply.text(1), reply.number(2), runId));
    }

    @Override
    public StoreFacts beat() {
        Optional<String> runId = calls.store().runId(calls.keyspace().meta());
        ScriptReply reply = calls.run(KeyspaceScripts.ADVANCE, calls.keyspace()::key);
        if (reply.code() == ScriptCode.NOTHING) {
            throw new StoreRefusedException(
                    StoreRefusedException.Kind.OTHER,
                    "keyspace " + calls.keyspace().prefix() + " has no epoch: observe it first",
                    null);
        }
        return new StoreFacts(reply.text(1), reply.number(2), runId);
    }

    @Override
    public boolean retire() {
        return calls.run(KeyspaceScripts.RETIRE, calls.keyspace()::key, RETIRED_AGE.toMillis())
                        .code()
                == ScriptCode.OK;
    }

    @Override
    public boolean retake(long seen) {
        return calls.store()
                        .run(
                                KeyspaceScripts.RETAKE,
                                KeyspaceScripts.RETAKE.keys(calls.keyspace()::key, List.of()),
                                Long.toString(calls.term()),
                                Long.toString(seen))
                        .code()
                == ScriptCode.OK;
    }

    /** 128 random bits. */
    public static String randomName() {
        byte[] bytes = new byte[16];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
