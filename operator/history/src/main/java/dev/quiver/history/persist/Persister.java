package dev.quiver.history.persist;

import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.history.store.Database;
import dev.quiver.history.store.Fault;
import dev.quiver.history.store.ReceivedEntry;
import dev.quiver.history.store.RecordWriter;
import dev.quiver.history.store.Retention;
import dev.quiver.history.store.Sealing;
import dev.quiver.lifecycle.history.HistoryEntry;
import dev.quiver.lifecycle.history.Shortage;
import dev.quiver.lifecycle.history.stream.HistoryStream;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.StoreException;

/**
 * Goes round all keyspaces: reads a page, writes it in one transaction, commits, trims. Entries that were committed and
 * not trimmed come again, and every write is repeatable. While the database takes nothing, nothing is trimmed. One
 * thread calls {@link #run}; {@link #status} may be asked by any.
 */
public final class Persister implements AutoCloseable {

    /** Entries of a page. */
    public static final int PAGE = 256;

    private static final Logger LOG = LoggerFactory.getLogger(Persister.class);
    private static final Duration ROUND = Duration.ofMillis(250);
    private static final Duration SWEEP = Duration.ofMinutes(1);
    private static final int SEALED_AT_ONCE = 4;
    private static final int TROUBLES = 100;
    /** Trials of one run that are believed: a tenant may have written its end. */
    private static final long MOST_TRIALS = 1_000_000_000;
    /** Pages of one keyspace in a round, so that a tenant that floods its stream keeps no other one waiting. */
    private static final int PAGES = 8;

    private final Supplier<Collection<Keyspace>> keyspaces;
    private final Function<Keyspace, HistoryStream> streams;
    private final Database database;
    private final RecordWriter writer;
    private final EntryBatch batches;
    private final Sealing sealing;
    private final Retention retention;
    private final Clock clock;

    private final Map<Keyspace, Backoff> backoffs = new HashMap<>();
    private final Backoff databaseBackoff = new Backoff();
    private final Map<String, String> troubles = new TreeMap<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private Supplier<Optional<Shortage>> room = Optional::empty;
    private Consumer<String> tellOfRoom = words -> {};
    private boolean shortOfRoom;
    private long roomAt;
    private long sweepAt;
    private boolean deleted; // resources, of which some may want nothing left
    private long entries;
    private long unread;
    private long notRecorded;
    private long committedAt;
    private Optional<String> databaseTrouble = Optional.empty();
    private volatile PersisterStatus status = PersisterStatus.none();

    /**
     * A loop that has not begun.
     *
     * @param keyspaces asked each round
     * @param streams of each keyspace
     * @param database that the caller closes
     * @param sealing of runs that ended
     * @param retention swept each minute
     */
    public Persister(
            Supplier<Collection<Keyspace>> keyspaces,
            Function<Keyspace, HistoryStream> streams,
            Database database,
            Sealing sealing,
            Retention retention,
            Clock clock) {
        this.keyspaces = keyspaces;
        this.streams = streams;
        this.database = database;
        this.writer = new RecordWriter(database, clock);
        this.batches = new EntryBatch(database, writer);
        this.sealing = sealing;
        this.retention = retention;
        this.clock = clock;
    }

    /**
     * Looks at the room of the record's volume with each sweep: each keyspace is told, and people at the first time of a
     * shortage.
     *
     * @param room asked once a minute
     * @param tell people, in words
     */
    public void watchRoom(Supplier<Optional<Shortage>> room, Consumer<String> tell) {
        this.room = room;
        this.tellOfRoom = tell;
    }

    private void noteRoom(Collection<Keyspace> all) {
        Optional<Shortage> now = room.get();
        if (now.isPresent() && !shortOfRoom) {
            LOG.warn("{}", now.get());
            tellOfRoom.accept(now.get().toString());
        }
        shortOfRoom = now.isPresent();
        for (Keyspace keyspace : all) {
            try {
                streams.apply(keyspace).note(now);
            } catch (RuntimeException e) { // one keyspace must not end the loop of all
                trouble(keyspace, e);
            }
        }
    }

    /** Goes round until it is closed. */
    public void run() {
        try {
            boolean behind = false;
            while (!closed.await(behind ? 0 : ROUND.toMillis(), TimeUnit.MILLISECONDS)) {
                behind = round();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Goes round once.
     *
     * @return whether a keyspace has more than was read, or more runs ended than were sealed
     */
    public boolean round() {
        int behind = 0;
        Collection<Keyspace> all = keyspaces.get();
        backoffs.keySet().retainAll(all);
        troubles.keySet().retainAll(all.stream().map(Keyspace::prefix).toList());
        if (clock.millis() >= roomAt) {
            roomAt = clock.millis() + SWEEP.toMillis();
            noteRoom(all);
        }
        for (Keyspace keyspace : all) {
            if (closed.getCount() == 0 || !databaseBackoff.due(clock.millis())) {
                break;
            }
            Backoff backoff = backoffs.computeIfAbsent(keyspace, it -> new Backoff());
            if (backoff.due(clock.millis())) {
                behind += persist(keyspace, backoff) ? 1 : 0;
            }
        }
        boolean unsealed = databaseBackoff.due(clock.millis()) && keep();
        status = new PersisterStatus(
                databaseTrouble,
                Map.copyOf(troubles),
                entries,
                unread,
                notRecorded,
                writer.rows(),
                behind,
                committedAt);
        return (behind > 0 || unsealed) && databaseBackoff.due(clock.millis());
    }

    private boolean persist(Keyspace keyspace, Backoff backoff) {
        try {
            boolean more = pages(keyspace);
            backoff.succeeded();
            troubles.remove(keyspace.prefix());
            return more;
        } catch (StoreException e) {
            backoff.failed(clock.millis());
            trouble(keyspace, e);
        } catch (SQLException e) {
            databaseFailed(e);
        } catch (RuntimeException e) {
            // One keyspace must not end the loop of all.
            LOG.error("keyspace {} could not be persisted", keyspace.prefix(), e);
            backoff.failed(clock.millis());
            trouble(keyspace, e);
        }
        return false;
    }

    private boolean pages(Keyspace keyspace) throws SQLException {
        HistoryStream stream = streams.apply(keyspace);
        for (int i = 0; i < PAGES; i++) {
            HistoryStream.Page page = stream.read(PAGE);
            if (page.entries().isEmpty()) {
                return false;
            }
            List<ReceivedEntry> received = EntryBatch.received(page);
            if (batches.write(keyspace, received) == EntryBatch.Outcome.NOT_OURS) {
                return false;
            }
            databaseSucceeded();
            stream.trim(page);
            committedAt = clock.millis();
            entries += received.size();
            deleted |= received.stream().anyMatch(it -> it.entry().orElse(null) instanceof HistoryEntry.Deleted);
            notRecorded += received.stream()
                    .flatMap(it -> it.entry().stream())
                    .mapToLong(it -> it instanceof HistoryEntry.Ended ended
                            ? Math.clamp(ended.end().notRecorded(), 0, MOST_TRIALS)
                            : 0)
                    .sum();
            unread += received.stream().filter(it -> it.entry().isEmpty()).count();
            if (!page.more()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Seals what ended, and removes what is not to be kept. Many small runs are sealed for as long as a round takes: then
     * the streams have their turn.
     *
     * @return whether more is to be sealed
     */
    private boolean keep() {
        boolean more = false;
        try {
            long until = clock.millis() + ROUND.toMillis();
            do {
                more = sealing.seal(SEALED_AT_ONCE) == SEALED_AT_ONCE;
            } while (more && clock.millis() < until && closed.getCount() > 0);
            databaseSucceeded();
            if (deleted) {
                deleted = retention.removeMarked() == Retention.RUNS_AT_ONCE;
            }
            if (clock.millis() >= sweepAt) {
                sweepAt = clock.millis() + SWEEP.toMillis();
                int removed = retention.sweep();
                if (removed > 0) {
                    LOG.info("{} runs were removed", removed);
                }
            }
        } catch (SQLException e) {
            databaseFailed(e);
        } catch (RuntimeException e) {
            LOG.error("the record could not be tidied", e);
        }
        return more;
    }

    private void databaseSucceeded() {
        if (databaseTrouble.isPresent()) {
            LOG.info("{} takes entries again", database.product());
        }
        databaseTrouble = Optional.empty();
        databaseBackoff.succeeded();
    }

    private void databaseFailed(SQLException failure) {
        Fault fault = database.fault(failure);
        boolean room = fault == Fault.FULL && madeRoom();
        if (!room) {
            databaseBackoff.failed(clock.millis());
        }
        String words = database.product() + " (" + fault.name().toLowerCase(java.util.Locale.ROOT) + "): "
                + failure.getMessage();
        databaseTrouble = Optional.of(words);
        LOG.warn("nothing is persisted for {} ms: {}", databaseBackoff.pauseMillis(), words);
    }

    private boolean madeRoom() {
        try {
            return retention.makeRoom();
        } catch (SQLException e) {
            LOG.warn("no room could be made: {}", e.getMessage());
            return false;
        }
    }

    private void trouble(Keyspace keyspace, RuntimeException failure) {
        String words = String.valueOf(failure.getMessage());
        if (troubles.size() < TROUBLES && !words.equals(troubles.put(keyspace.prefix(), words))) {
            LOG.warn("keyspace {} is not read: {}", keyspace.prefix(), words);
        }
    }

    /** How it fares, as of the last round. */
    public PersisterStatus status() {
        return status;
    }

    /** Ends the loop after the page that is being written. */
    @Override
    public void close() {
        closed.countDown();
    }
}
