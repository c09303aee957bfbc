package dev.quiver.history.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.history.PackBody;
import dev.quiver.lifecycle.history.ResultFormat;
import dev.quiver.lifecycle.keyspace.Keyspace;

/**
 * Packs of large results, each once: a repeat changes nothing. A pack is believed within its own keyspace alone, whose
 * prefix is a part of its id. Thread-safe.
 */
public final class Packs {

    /** Packs of one run. */
    static final long MOST_OF_RUN = 1 << 14;

    /** The share of all room that packs may take; the rest is for rows. */
    private static final double MARK = 0.8;

    private static final String MANY = "the run has as many packs as a run may have";

    /** A namespace that uses so many times what packs may still take gets no more of it. */
    private static final long SHARE = 4;

    private static final int MEMBER_BYTES = 100;
    private static final int REMOVED_AT_ONCE = 16;

    private final Database database;
    private final long maxBytes;
    private final Clock clock;

    /** The outcome of a pack. */
    public enum Outcome {
        /** It is stored, now or since an earlier call. */
        STORED,
        /** Its run is not on record yet: its opening may be on its way. */
        UNKNOWN_RUN,
        /** Its run, or the output of it, was removed. */
        GONE,
        /** Its id belongs to a pack of another run. */
        TAKEN,
        /** Its run has as many packs as a run may have. */
        TOO_MANY,
        /** Its namespace uses four times of what is left for packs, or nothing is left: a fifth of the room is for rows. */
        FULL
    }

    /** Takes back what was written of a pack whose run was removed meanwhile. */
    private static final class GoneException extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    /**
     * In that database.
     *
     * @param maxBytes of the whole record
     */
    public Packs(Database database, long maxBytes, Clock clock) {
        this.database = database;
        this.maxBytes = maxBytes;
        this.clock = clock;
    }

    /**
     * Stores a pack.
     *
     * @param uid of its run
     * @param session of the worker that made it
     * @param number of the pack within its session
     */
    public Outcome store(Keyspace keyspace, String uid, String session, long number, List<PackBody.Member> members)
            throws SQLException {
        try {
            return database.change(connection -> {
                Outcome outcome =
                        store(connection, keyspace.prefix(), uid, session, PackBody.id(session, number), members);
                if (outcome == Outcome.FULL || outcome == Outcome.TOO_MANY) {
                    Rows.change(
                            connection,
                            "UPDATE runs SET packs_refused = ? WHERE keyspace = ? AND uid = ?",
                            outcome == Outcome.FULL ? fullness(connection) : MANY,
                            keyspace.prefix(),
                            uid);
                }
                return outcome;
            });
        } catch (GoneException removed) {
            return Outcome.GONE;
        }
    }

    private Outcome store(
            Connection connection,
            String keyspace,
            String uid,
            String session,
            String id,
            List<PackBody.Member> members)
            throws SQLException {
        Optional<Long> run = Rows.first(
                connection, "SELECT id FROM runs WHERE keyspace = ? AND uid = ?", row -> row.getLong(1), keyspace, uid);
        if (run.isEmpty()) {
            return Rows.first(
                                    connection,
                                    "SELECT 1 FROM removed_runs WHERE keyspace = ? AND uid = ?",
                                    row -> row.getLong(1),
                                    keyspace,
                                    uid)
                            .isPresent()
                    ? Outcome.GONE
                    : Outcome.UNKNOWN_RUN;
        }
        Optional<Long> owner =
                Rows.first(connection, "SELECT run_id FROM packs WHERE id = ?", row -> row.getLong(1), keyspace + id);
        if (owner.isPresent()) {
            return owner.equals(run) ? Outcome.STORED : Outcome.TAKEN;
        }
        if (number(connection, "SELECT COUNT(*) FROM packs WHERE run_id = ?", run.get()) >= MOST_OF_RUN) {
            return Outcome.TOO_MANY;
        }
        if (isFull(connection, run.get(), database.room(connection))
                || isFull(connection, run.get(), bounded(connection))) {
            return Outcome.FULL;
        }
        insert(connection, keyspace, run.get(), session, keyspace + id, members);
        return Outcome.STORED;
    }

    /** Why a pack finds no room, with what is used and what there is, for people. */
    public String fullness() throws SQLException {
        return database.change(this::fullness); // the connection that writes has the bound
    }

    /** By the narrower of both rooms. */
    private String fullness(Connection connection) throws SQLException {
        Database.Room file = database.room(connection);
        Database.Room record = bounded(connection);
        Database.Room narrow = free(file) < free(record) ? file : record;
        return "the record uses " + (narrow.used() >> 20) + " MiB of " + (narrow.most() >> 20)
                + " MiB that it may take; a fifth of these is for rows, and a namespace gets four times what it leaves";
    }

    private static long free(Database.Room room) {
        return room.most() - room.used();
    }

    /** The room that the bound of the whole record leaves. */
    private Database.Room bounded(Connection connection) throws SQLException {
        return maxBytes == Long.MAX_VALUE
                ? Database.Room.UNKNOWN
                : new Database.Room(
                        number(connection, "SELECT COALESCE(SUM(bytes), 0) FROM runs WHERE removed = 0"), maxBytes);
    }

    /**
     * Whether a run's namespace gets no more packs into a room. Some of it is free for the next namespace, however many have
     * filled theirs: each stops at {@link #SHARE} times what is free then.
     */
    private static boolean isFull(Connection connection, long run, Database.Room room) throws SQLException {
        long free = Math.max(0, (long) (room.most() * MARK) - room.used());
        return room.used() / SHARE >= free
                && (free == 0
                        || number(
                                                connection,
                                                "SELECT COALESCE(SUM(bytes), 0) FROM runs WHERE removed = 0 AND namespace ="
                                                        + " (SELECT namespace FROM runs WHERE id = ?)",
                                                run)
                                        / SHARE
                                >= free);
    }

    private static long number(Connection connection, String sql, Object... values) throws SQLException {
        return Rows.first(connection, sql, row -> row.getLong(1), values).orElse(0L);
    }

    private void insert(
            Connection connection, String keyspace, long run, String session, String id, List<PackBody.Member> members)
            throws SQLException {
        long now = clock.millis();
        database.write(connection, Tables.MENTIONED_WORKERS, List.<Object[]>of(new Object[] {keyspace, session, now}));
        long worker =
                number(connection, "SELECT id FROM workers WHERE keyspace = ? AND session = ?", keyspace, session);
        long bytes = members.stream()
                .mapToLong(member -> MEMBER_BYTES + member.packed().length)
                .sum();
        int added = Rows.change(
                connection,
                "INSERT INTO packs (id, run_id, worker_id, bytes, stored_at) VALUES (?, ?, ?, ?, ?)"
                        + " ON CONFLICT (id) DO NOTHING",
                id,
                run,
                worker,
                bytes,
                now);
        if (added == 0) {
            return; // the same call, a moment earlier
        }
        // The row's lock: a removal that comes now waits, and then finds this pack. One that came before is seen here.
        int living = Rows.change(
                connection,
                "UPDATE runs SET bytes = bytes + ? WHERE id = ? AND removed = 0 AND output_removed = 0",
                bytes,
                run);
        if (living == 0) {
            throw new GoneException();
        }
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO pack_members (pack, at, format, length, packed) VALUES (?, ?, ?, ?, ?)")) {
            long at = 0;
            for (PackBody.Member member : members) {
                Rows.bind(insert, id, at, member.format().ordinal(), member.length(), member.packed());
                insert.addBatch();
                at += member.length();
            }
            insert.executeBatch();
        }
    }

    /** Whether a failure of {@link #store} means that the database has no room. */
    public boolean isFull(SQLException failure) {
        return database.fault(failure) == Fault.FULL;
    }

    /**
     * The member of a pack of a run.
     *
     * @param pack as the trial's row names it
     * @param at as the trial's row names it
     */
    public static Optional<PackBody.Member> member(Connection connection, long run, String pack, long at)
            throws SQLException {
        return Rows.first(
                connection,
                "SELECT m.format, m.length, m.packed FROM runs r JOIN packs p ON p.id = r.keyspace || ?"
                        + " AND p.run_id = r.id JOIN pack_members m ON m.pack = p.id AND m.at = ? WHERE r.id = ?",
                row -> new PackBody.Member(
                        ResultFormat.values()[row.getInt(1)], row.getInt(2), Rows.bytes(row, "packed")),
                pack,
                at,
                run);
    }

    /** Removes the packs of a run, at most 64 MiB in a transaction. */
    static void remove(Database database, long run) throws SQLException {
        int removed;
        do {
            removed = database.change(connection -> {
                List<String> ids = Rows.all(
                        connection,
                        "SELECT id FROM packs WHERE run_id = ? LIMIT " + REMOVED_AT_ONCE,
                        row -> row.getString(1),
                        run);
                for (String id : ids) {
                    Rows.change(connection, "DELETE FROM pack_members WHERE pack = ?", id);
                    Rows.change(connection, "DELETE FROM packs WHERE id = ?", id);
                }
                return ids.size();
            });
        } while (removed == REMOVED_AT_ONCE);
    }
}
