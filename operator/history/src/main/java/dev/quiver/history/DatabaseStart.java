package dev.quiver.history;

import java.io.IOException;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.history.persist.PersisterStatus;
import dev.quiver.history.store.Database;

/**
 * Opens the database as often as it takes: one that does not answer keeps the program unready, and does not end it.
 * {@link #status} may be asked by any thread.
 */
final class DatabaseStart {

    private static final Logger LOG = LoggerFactory.getLogger(DatabaseStart.class);
    private static final long FIRST_PAUSE = 1_000;
    private static final long LONGEST_PAUSE = 30_000;

    /** A pause ends by time alone: a signal ends the program. */
    private final CountDownLatch never = new CountDownLatch(1);

    private volatile Supplier<PersisterStatus> status = () -> troubled("the database is being opened");

    private volatile Supplier<Optional<String>> notice = Optional::empty;

    /** Opens it once. */
    @FunctionalInterface
    interface Opening {

        /** Fails in any way while the database does not answer. */
        Database open() throws IOException, SQLException;
    }

    /** How the program fares: why there is no database yet, then what the loop has to tell. */
    PersisterStatus status() {
        return status.get();
    }

    /** Words about the file of the record, for people. */
    Optional<String> notice() {
        return notice.get();
    }

    /** From now on the loop tells, and of the file of the record its database. */
    void began(Supplier<PersisterStatus> loop, Supplier<Optional<String>> file) {
        notice = file;
        status = loop;
    }

    /** The database, with a pause of 1 s that doubles to 30 s after each failure. */
    Database open(Opening opening) throws InterruptedException {
        return open(opening, pause -> Math.min(LONGEST_PAUSE, pause * 2), FIRST_PAUSE);
    }

    Database open(Opening opening, LongUnaryOperator next, long first) throws InterruptedException {
        for (long pause = first; ; pause = next.applyAsLong(pause)) {
            try {
                return opening.open();
            } catch (IOException | SQLException | RuntimeException e) {
                String words = "the database cannot be opened: " + reason(e);
                status = () -> troubled(words);
                LOG.warn("{}; it is tried again in {} ms", words, pause);
            }
            never.await(pause, TimeUnit.MILLISECONDS);
        }
    }

    /** The innermost reason: a pool and a migration wrap it. */
    private static String reason(Throwable failure) {
        Throwable at = failure;
        while (at.getCause() != null && at.getCause() != at) {
            at = at.getCause();
        }
        return at.getMessage() == null ? at.toString() : at.getMessage();
    }

    private static PersisterStatus troubled(String words) {
        return new PersisterStatus(Optional.of(words), Map.of(), 0, 0, 0, 0, 0, 0);
    }
}
