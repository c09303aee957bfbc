package dev.quiver.history.persist;

import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.history.store.Database;
import dev.quiver.history.store.Rows;

/**
 * Closes runs whose end never came, once Redis has had nothing of them for an hour. The reason is that a keyspace was
 * emptied, or that the stream had no room. An end that comes later counts. A look that got no answer begins the hour
 * anew, and so does a restart. Several processes do no harm. One thread.
 */
public final class LostRuns implements AutoCloseable {

    /** The word of a run that was closed so. */
    public static final String LOST = "lost";

    private static final Logger LOG = LoggerFactory.getLogger(LostRuns.class);
    private static final Duration PATIENCE = Duration.ofHours(1);
    private static final Duration LOOK = Duration.ofMinutes(1);
    /** Runs of one look; the next one goes on behind them. */
    private static final int AT_ONCE = 1_000;

    private final Database database;
    private final Presence presence;
    private final InstantSource clock;
    private final Map<Long, Long> goneSince = new HashMap<>();
    private Optional<ScheduledExecutorService> looks = Optional.empty();
    private long behind;

    /** Asks whether Redis has a run. */
    @FunctionalInterface
    public interface Presence {

        /**
         * Whether it has anything of the run; absent where it does not answer.
         *
         * @param keyspace its prefix
         * @param kind word of the resource
         */
        Optional<Boolean> has(String keyspace, String uid, String kind);
    }

    /** Looks at nothing yet. */
    public LostRuns(Database database, Presence presence, InstantSource clock) {
        this.database = database;
        this.presence = presence;
        this.clock = clock;
    }

    /** Looks each minute until it is closed. */
    public void start() {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("lost-runs").factory());
        timer.scheduleWithFixedDelay(this::lookSafely, LOOK.toMillis(), LOOK.toMillis(), TimeUnit.MILLISECONDS);
        looks = Optional.of(timer);
    }

    private record Open(long id, String keyspace, String uid, String kind) {}

    private void lookSafely() {
        try {
            look();
        } catch (SQLException | RuntimeException e) {
            LOG.warn("open runs could not be looked at: {}", e.getMessage());
        }
    }

    /**
     * Looks at the next runs that are open.
     *
     * @return how many were closed
     */
    int look() throws SQLException {
        long from = behind;
        List<Open> open = database.ask(connection -> Rows.all(
                connection,
                "SELECT id, keyspace, uid, kind FROM runs WHERE sealed = 0 AND finished_at IS NULL AND removed = 0"
                        + " AND kind <> 'Queue' AND id > ? ORDER BY id LIMIT " + AT_ONCE,
                row -> new Open(row.getLong(1), row.getString(2), row.getString(3), row.getString(4)),
                from));
        behind = open.size() < AT_ONCE ? 0 : open.getLast().id;
        if (from == 0 && behind == 0) {
            goneSince.keySet().retainAll(open.stream().map(Open::id).toList());
        }
        int closed = 0;
        for (Open run : open) {
            Optional<Boolean> there = presence.has(run.keyspace, run.uid, run.kind);
            if (there.isEmpty() || there.get()) {
                goneSince.remove(run.id);
            } else if (clock.millis() - goneSince.computeIfAbsent(run.id, id -> clock.millis())
                    >= PATIENCE.toMillis()) {
                closed += close(run);
                goneSince.remove(run.id);
            }
        }
        return closed;
    }

    private int close(Open run) throws SQLException {
        int closed = database.change(connection -> {
            database.lock(connection, run.keyspace);
            return Rows.change(
                    connection,
                    "UPDATE runs SET status = ?, reason = 'RunGone', message = ?, finished_at = ?"
                            + " WHERE id = ? AND finished_at IS NULL AND removed = 0",
                    LOST,
                    "Redis has had nothing of this run for an hour, and its end was never recorded",
                    clock.millis(),
                    run.id);
        });
        if (closed > 0) {
            LOG.warn("run {} of {} is lost: Redis has nothing of it, and its end never came", run.uid, run.keyspace);
        }
        return closed;
    }

    @Override
    public void close() {
        looks.ifPresent(ScheduledExecutorService::shutdownNow);
    }
}
