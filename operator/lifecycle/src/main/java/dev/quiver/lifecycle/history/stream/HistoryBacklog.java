package dev.quiver.lifecycle.history.stream;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.history.Shortage;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptReply;

/**
 * The part of a keyspace's record that nobody has read yet.
 *
 * @param level what is left out for want of room
 * @param bytes of its entries, about
 * @param room bytes that there may be; 0 where nobody reads
 * @param age of the oldest entry
 * @param shortage of room in the volume of the record, as its reader noted it in the last ten minutes
 */
public record HistoryBacklog(Level level, long bytes, long room, Duration age, Optional<Shortage> shortage) {

    /** With a volume that has room. */
    public HistoryBacklog(Level level, long bytes, long room, Duration age) {
        this(level, bytes, room, age, Optional.empty());
    }

    /**
     * The part of the record that is left out. Each leaves out what the ones before it do. The order is that of
     * {@code history/record}.
     */
    public enum Level {
        /** The backlog has room. */
        NOTHING,
        /** Tails of output; sets that wait for room give out no task. */
        TAILS,
        /** Passes. */
        PASSES,
        /** All but openings and ends. */
        TRIALS,
        /** History is not read, and nothing is written. */
        OFF
    }

    /** Looks at that of a keyspace: one round trip, bounded. */
    public static HistoryBacklog of(RedisStore store, Keyspace keyspace) {
        ScriptReply reply = store.run(HistoryScripts.BACKLOG, HistoryScripts.BACKLOG.keys(keyspace::key, List.of()));
        return new HistoryBacklog(
                Level.values()[reply.count("level")],
                reply.number("bytes"),
                reply.number("most"),
                Duration.ofMillis(reply.number("age")),
                Optional.of(new Shortage(reply.number("wanted"), reply.number("room")))
                        .filter(its -> its.wanted() > 0));
    }
}
