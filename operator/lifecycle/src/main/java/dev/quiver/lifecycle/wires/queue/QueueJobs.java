package dev.quiver.lifecycle.wires.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.LeaderCalls;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;
import dev.quiver.lifecycle.worker.SessionKeys;

/** Jobs of Quiver's own under a granted prefix. Other programs may run them, too. Each call may be repeated. Thread-safe. */
public final class QueueJobs {

    private static final Set<String> ENDS = Set.of("passed", "map", "reduce", "cancelled");

    private final LeaderCalls calls;
    private final String prefix;
    private final String pool;

    /**
     * Those under a prefix, changed under the leader's term.
     *
     * @param pool that the prefix is granted to
     */
    public QueueJobs(LeaderCalls calls, String prefix, String pool) {
        this.calls = calls;
        this.prefix = prefix;
        this.pool = pool;
    }

    /** How far a job is. */
    public sealed interface Report {

        /** This moment, by Redis' clock. */
        Instant storeTime();

        /** When it may begin, or might. */
        Instant begins();

        /** Chunks that map made; 0 before it ended. */
        long made();

        /** Chunks whose results are there, or were. */
        long done();

        /**
         * It goes on.
         *
         * @param state in the words of the wire, or {@code postponed}
         * @param retries of map or reduce
         */
        record Going(
                String state,
                Instant storeTime,
                Instant begins,
                long made,
                long done,
                int retries,
                long pending,
                long active,
                long errored)
                implements Report {}

        /**
         * It has ended.
         *
         * @param how {@code passed}, {@code map} or {@code reduce} that failed, {@code cancelled}
         * @param text result or error as JSON; empty for none
         */
        record Ended(String how, Instant storeTime, Instant begins, long made, long done, Instant at, String text)
                implements Report {}
    }

    /** The key of a job. */
    public String key(String type, String id) {
        return prefix + type + ":" + id;
    }

    /**
     * Creates a job, unless it is there or has ended.
     *
     * @param data JSON
     * @param delay until it may begin; zero for at once
     * @return whether this call created it
     */
    public boolean add(String type, String id, String data, Duration delay) {
        return calls.run(QueueScripts.ADD, keys()::key, key(type, id), type, data, delay.toMillis(), prefix, pool)
                .flag("created");
    }

    /** Ends a job, also a postponed one: nothing of it is left, what runs does not count. */
    public boolean cancel(String type, String id) {
        return control("cancel", type, id);
    }

    /** Forgets how a job ended. */
    public boolean forget(String type, String id) {
        return control("forget", type, id);
    }

    private boolean control(String what, String type, String id) {
        return calls.run(QueueScripts.CONTROL, keys()::key, what, key(type, id), prefix)
                .flag("was_there");
    }

    /** How far a job is; absent for one that is not there. */
    public Optional<Report> report(String type, String id) {
        String job = key(type, id);
        return BoundedReads.understood("job " + job, () -> {
            ScriptReply reply = calls.store()
                    .run(QueueScripts.REPORT, QueueScripts.REPORT.keys(keys()::key, List.of()), job, prefix);
            if (reply.code() == ScriptCode.GONE) {
                return Optional.empty();
            }
            return Optional.of(ENDS.contains(reply.text("state")) ? ended(reply) : going(reply));
        });
    }

    private static Report going(ScriptReply reply) {
        return new Report.Going(
                reply.text("state"),
                Instant.ofEpochMilli(reply.number("now")),
                Instant.ofEpochMilli(reply.number("begins")),
                reply.number("made"),
                reply.number("done"),
                reply.count("retries"),
                reply.number("pending"),
                reply.number("active"),
                reply.number("errored"));
    }

    private static Report ended(ScriptReply reply) {
        return new Report.Ended(
                reply.text("state"),
                Instant.ofEpochMilli(reply.number("now")),
                Instant.ofEpochMilli(reply.number("begins")),
                reply.number("made"),
                reply.number("done"),
                Instant.ofEpochMilli(reply.number("ended_at")),
                reply.text("text"));
    }

    private QueueKeys keys() {
        return new QueueKeys(SessionKeys.ofPool(calls.keyspace(), pool));
    }
}
