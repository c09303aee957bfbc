package dev.quiver.history.store;

import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Platform threads for work with a database on behalf of virtual ones. SQLite is native code, which keeps the carrier
 * of a virtual thread for as long as it runs. There are only as many carriers as cores, so a few long questions would
 * stop every request of the process. Thread-safe.
 */
public final class DatabaseThreads implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 10;

    private final ExecutorService threads;

    /**
     * Starts no thread yet.
     *
     * @param name of the threads
     * @param most how many work at a time; further work waits
     */
    public DatabaseThreads(String name, int most) {
        threads = Executors.newFixedThreadPool(
                most, Thread.ofPlatform().daemon().name(name + "-", 0).factory());
    }

    /** Work that fails with failures of the database, and with another kind. */
    @FunctionalInterface
    public interface Work<T, E extends Exception> {

        /** Does it. */
        T run() throws SQLException, E;
    }

    /**
     * Does the work on one of these threads, and waits for it. A caller on a platform thread does it itself.
     *
     * @throws SQLException of the work, and when no thread was free for ten seconds
     * @throws E of the work
     */
    public <T, E extends Exception> T call(Work<T, E> work) throws SQLException, E {
        if (!Thread.currentThread().isVirtual()) {
            return work.run();
        }
        FutureTask<T> task = new FutureTask<>(work::run);
        Started<T> started = new Started<>(task);
        try {
            threads.execute(started);
            if (!started.within(PATIENCE_SECONDS)) {
                throw new SQLTransientException("the database has too much to do");
            }
            return task.get();
        } catch (ExecutionException e) {
            throw DatabaseThreads.<E>thrown(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLTransientException("interrupted", e);
        } catch (RejectedExecutionException e) {
            throw new SQLTransientException("the database is closed", e);
        }
    }

    /** The exception that the work threw, whose kinds the compiler knows. */
    @SuppressWarnings("unchecked")
    private static <E extends Exception> E thrown(Throwable cause) throws SQLException {
        switch (cause) {
            case SQLException failure -> throw failure;
            case RuntimeException failure -> throw failure;
            case Error failure -> throw failure;
            default -> {
                return (E) cause;
            }
        }
    }

    /** Work that can be taken back until it has begun. */
    private static final class Started<T> implements Runnable {

        private final FutureTask<T> task;
        private final FutureTask<Boolean> begun = new FutureTask<>(() -> true);

        Started(FutureTask<T> task) {
            this.task = task;
        }

        @Override
        public void run() {
            begun.run();
            if (!begun.isCancelled()) {
                task.run();
            }
        }

        boolean within(long seconds) throws InterruptedException, ExecutionException {
            try {
                return begun.get(seconds, TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                return !begun.cancel(false);
            }
        }
    }

    /** Waits for nothing: work that goes on ends with its connection. */
    @Override
    public void close() {
        threads.shutdown();
    }
}
