package dev.quiver.lifecycle.taskset;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

import io.lettuce.core.KeyValue;

import dev.quiver.lifecycle.KeyspaceHealth;
import dev.quiver.lifecycle.ScriptCode;
import dev.quiver.lifecycle.ScriptReply;
import dev.quiver.lifecycle.StoreFacts;
import dev.quiver.lifecycle.StoreLoss;
import dev.quiver.lifecycle.StoreRefusedException;
import dev.quiver.lifecycle.StoreVerdict;

/** Reads {@code P meta}, decides, and writes it. */
final class OwnKeyspaceHealth implements KeyspaceHealth {

    /** Version of the keys' layout. */
    static final int SCHEMA = 1;

    /** Longer than a tombstone, and than any leader is stopped and goes on. */
    private static final Duration RETIRED_AGE = Duration.ofHours(24);

    private static final SecureRandom RANDOM = new SecureRandom();

    private final LeaderCalls calls;
    private final LeaseTimes times;

    OwnKeyspaceHealth(LeaderCalls calls, LeaseTimes times) {
        this.calls = calls;
        this.times = times;
    }

    @Override
    public Observation observe(Optional<StoreFacts> known) {
        String meta = calls.keyspace().meta();
        Optional<String> runId = calls.store().runId(meta);
        List<KeyValue<String, String>> there = calls.store().ask(redis -> redis.hmget(meta, "epoch", "beat"));
        Optional<StoreFacts> seen = there.getFirst().hasValue()
                ? Optional.of(new StoreFacts(
                        there.getFirst().getValue(), Long.parseLong(there.get(1).getValue()), runId))
                : Optional.empty();
        StoreVerdict verdict = StoreLoss.decide(known, seen);
        long grace = verdict instanceof StoreVerdict.Same ? 0 : times.lease().toMillis();
        ScriptReply reply = calls.run(
                TaskSetScripts.OBSERVE,
                ScriptKeys.ofKeyspace(calls.keyspace()),
                SCHEMA,
                randomName(),
                runId.orElse(""),
                grace);
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
        ScriptReply reply = calls.run(TaskSetScripts.ADVANCE, ScriptKeys.ofKeyspace(calls.keyspace()));
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
        return calls.run(TaskSetScripts.RETIRE, ScriptKeys.ofKeyspace(calls.keyspace()), RETIRED_AGE.toMillis())
                        .code()
                == ScriptCode.OK;
    }

    /** 128 random bits. */
    static String randomName() {
        byte[] bytes = new byte[16];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
