package dev.quiver.lifecycle.keyspace;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptLibrary;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.redis.StoreRefusedException;

/**
 * The leader's hold on a keyspace's identity. Thread-safe. Every method is one or two round trips and throws {@link
 * StoreException}.
 */
public final class KeyspaceHealth {

    /** Version of the keys' layout. */
    public static final int SCHEMA = 1;

    /**
     * Version of what programs call: keys, arguments and replies of their scripts, and the records that they write. A
     * change of these raises it, and brings adapters for the version before, see
     * {@link dev.quiver.lifecycle.redis.EntryPoints}.
     */
    public static final int CALLS = 3;

    /** The oldest version of these whose programs may call: this one, since no release was made before. */
    public static final int OLDEST_CALLS = 3;

    /** Longer than a tombstone lives, and than any leader can be stopped and go on. */
    private static final Duration RETIRED_AGE = Duration.ofHours(24);

    private static final SecureRandom RANDOM = new SecureRandom();

    private final LeaderCalls calls;
    private final LeaseTimes times;
    private final long historyBytes;

    /** The health of a keyspace whose runs are not recorded. */
    public KeyspaceHealth(LeaderCalls calls, LeaseTimes times) {
        this(calls, times, 0);
    }

    private KeyspaceHealth(LeaderCalls calls, LeaseTimes times, long historyBytes) {
        this.calls = calls;
        this.times = times;
        this.historyBytes = historyBytes;
    }

    /**
     * The same of a keyspace whose runs are recorded.
     *
     * @param bytes that the stream of the record may take in Redis until somebody has read it; 0 where nobody does
     */
    public KeyspaceHealth recording(long bytes) {
        return new KeyspaceHealth(calls, times, bytes);
    }

    /**
     * Looks at the keyspace and creates its epoch when it has none. After any change but {@code Same}, all leases get
     * a grace of their full length. Keep {@link Observation#facts} in a Kubernetes object <em>after</em> acting on the
     * change: a crash in between then repeats the change.
     *
     * @param known the facts kept from the last observation; absent for a keyspace never seen
     */
    public Observation observe(Optional<StoreFacts> known) {
        String meta = calls.keyspace().meta();
        Optional<String> runId = calls.store().runId(meta);
        List<Optional<String>> there = new BoundedReads(calls.store()).fields(meta, "epoch", "beat");
        Optional<StoreFacts> seen = BoundedReads.understood(
                meta,
                () -> there.getFirst()
                        .map(epoch -> new StoreFacts(
                                epoch, Long.parseLong(there.get(1).orElse("")), runId)));
        StoreChange change = StoreLoss.decide(known, seen);
        long grace = change instanceof StoreChange.Same ? 0 : times.lease().toMillis();
        ScriptReply reply = calls.run(
                KeyspaceScripts.OBSERVE,
                calls.keyspace()::key,
                SCHEMA,
                randomName(),
                runId.orElse(""),
                calls.store().library().map(ScriptLibrary::name).orElse(""),
                CALLS,
                OLDEST_CALLS,
                grace,
                historyBytes,
                loss(change));
        if (reply.code() == ScriptCode.SCHEMA) {
            throw new StoreRefusedException(
                    StoreRefusedException.Kind.OTHER,
                    "keyspace " + calls.keyspace().prefix() + " has layout " + reply.number("version")
                            + ", written by a newer version; this one knows " + SCHEMA,
                    null);
        }
        return new Observation(change, new StoreFacts(reply.text("epoch"), reply.number("beat"), runId));
    }

    private static String loss(StoreChange change) {
        return switch (change) {
            case StoreChange.Empty _ -> "emptied";
            case StoreChange.Rewound _ -> "rewound";
            case StoreChange.Same _, StoreChange.Restarted _ -> "";
        };
    }

    /**
     * Advances the beat by one and returns the facts with it. The leader calls it about every ten seconds and keeps the
     * result. A later rewind beyond these facts is then seen.
     */
    public StoreFacts beat() {
        Optional<String> runId = calls.store().runId(calls.keyspace().meta());
        ScriptReply reply = calls.run(KeyspaceScripts.ADVANCE, calls.keyspace()::key, historyBytes);
        if (reply.code() == ScriptCode.NOTHING) {
            throw new StoreRefusedException(
                    StoreRefusedException.Kind.OTHER,
                    "keyspace " + calls.keyspace().prefix() + " has no epoch: observe it first",
                    null);
        }
        return new StoreFacts(reply.text("epoch"), reply.number("beat"), runId);
    }

    /**
     * Lets the identity of a keyspace without TaskSets, trees and pools expire in a day. Epoch and term are needed while a
     * write under them may still be on its way. A pool or TaskSet that comes meanwhile keeps the identity, and so does
     * {@link #observe}. Forget the facts afterwards: a retired keyspace was not lost.
     *
     * @return false, and nothing is done, when a TaskSet or a tree has keys there
     */
    public boolean retire() {
        return calls.run(KeyspaceScripts.RETIRE, calls.keyspace()::key, RETIRED_AGE.toMillis())
                        .code()
                == ScriptCode.OK;
    }

    /**
     * Takes back a term that no leader wrote there, so that this leader's writes count again. The caller must have
     * seen, after a refusal, that it holds the Lease.
     *
     * @param seen the term for which this leader was refused
     * @return false, and nothing is done, when the keyspace has another term by now
     */
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

    /**
     * A change and the facts to keep.
     *
     * @param change the change since the known facts
     * @param facts the present ones, with the epoch if it was just created
     */
    public record Observation(StoreChange change, StoreFacts facts) {}

    /** 128 random bits. */
    public static String randomName() {
        byte[] bytes = new byte[16];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
