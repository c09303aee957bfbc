package dev.quiver.lifecycle.worker;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

import dev.quiver.lifecycle.keyspace.BoundedReads;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptReply;

/**
 * The workers at a source, and what each of them holds of it: for people. Two calls a page, whose answers are bounded.
 * Thread-safe.
 *
 * @param store where the source is
 * @param keyspace of the source
 */
public record SourceRoster(RedisStore store, Keyspace keyspace) {

    /** Sessions of a page at most. */
    public static final int MOST = 100;

    /** A session holds a task for each slot, a few that wait for one, and the entry of its last call. */
    private static final int MOST_HELD = 512;

    private static final int HELD_BYTES = 64 << 10;
    private static final int RECORD_BYTES = 16 << 10;
    private static final String LAST_CALL = "#";

    /**
     * The keys of a source.
     *
     * @param pool whose workers work at it
     * @param sessions sorted set: sessions in the order of joining
     * @param held hash of a session: task to {@code call@place}
     */
    public record Source(String pool, String sessions, UnaryOperator<String> held) {}

    /**
     * A task that a worker holds.
     *
     * @param task its id in the source
     * @param slot 0 to 63, or −1 while it waits for a slot there
     */
    public record Held(String task, int slot) {}

    /**
     * A session.
     *
     * @param joined its number in the order of joining
     * @param worker as the pool's registry has it; absent for one that has left it
     */
    public record Member(String session, long joined, Optional<WorkerRecord> worker, List<Held> held) {

        /** Copies the list. */
        public Member {
            held = List.copyOf(held);
        }
    }

    /**
     * Some of the sessions, in the order of joining.
     *
     * @param more whether others may follow
     * @param storeTime this moment, by Redis' clock; absent where there is none
     */
    public record Page(List<Member> members, boolean more, Optional<Instant> storeTime) {

        /** Copies the list. */
        public Page {
            members = List.copyOf(members);
        }
    }

    /**
     * A page.
     *
     * @param after number of the last session of the page before, 0 at first
     * @param most sessions at most, {@value #MOST} at most
     * @throws dev.quiver.lifecycle.redis.StoreException when Redis does not answer, or a key is larger than any that is ours
     */
    public Page read(Source source, long after, int most) {
        int count = Math.min(most, MOST);
        ScriptReply crew = store.run(
                WorkerScripts.CREW,
                new String[] {source.sessions()},
                Long.toString(after),
                Integer.toString(count),
                Integer.toString(RedisWorkerSessions.MOST_SESSIONS));
        return BoundedReads.understood(source.sessions(), () -> held(source, crew, count));
    }

    private Page held(Source source, ScriptReply crew, int count) {
        List<String> sessions = new ArrayList<>();
        List<Long> joined = new ArrayList<>();
        List<ScriptReply.Row> page = crew.rows("page");
        for (ScriptReply.Row row : page) {
            if (BoundedReads.isSession(row.text("session"))) {
                sessions.add(row.text("session"));
                joined.add(Long.parseLong(row.text("joined")));
            }
        }
        boolean more = page.size() == count;
        if (sessions.isEmpty()) {
            return new Page(List.of(), more, Optional.empty());
        }
        List<String> keys = new ArrayList<>(List.of(keyspace.poolWorkers(source.pool())));
        List<String> arguments =
                new ArrayList<>(List.of("" + MOST_HELD, Integer.toString(HELD_BYTES), Integer.toString(RECORD_BYTES)));
        for (String session : sessions) {
            keys.add(source.held().apply(session));
            arguments.add(session);
        }
        ScriptReply reply =
                store.run(WorkerScripts.HELD, keys.toArray(String[]::new), arguments.toArray(String[]::new));
        Instant time = Instant.ofEpochMilli(reply.number("now"));
        ScriptReply.Rest rest = reply.rest("sessions");
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < sessions.size(); i++) {
            String record = rest.text();
            List<Held> tasks = new ArrayList<>();
            for (long left = rest.number(); left > 0; left--) {
                String task = rest.text();
                String entry = rest.text();
                if (!task.equals(LAST_CALL)) {
                    tasks.add(new Held(task, slot(entry)));
                }
            }
            members.add(new Member(
                    sessions.get(i), joined.get(i), WorkerRecordJson.read(sessions.get(i), record, time), tasks));
        }
        return new Page(members, more, Optional.of(time));
    }

    private static int slot(String entry) {
        return Place.parse(entry.substring(entry.indexOf('@') + 1)).slot();
    }
}
