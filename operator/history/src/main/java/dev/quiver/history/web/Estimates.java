package dev.quiver.history.web;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;

import dev.quiver.history.store.Estimate;

/** Estimates of the runs that somebody looks at: one at a time is made, and all viewers share it for a while. Thread-safe. */
final class Estimates {

    private static final long KEPT_NANOS = 10_000_000_000L;
    private static final int MOST = 64;

    private record Kept(long at, Estimate estimate) {}

    private final Map<Long, Kept> kept = new LinkedHashMap<>();

    synchronized Estimate of(Connection connection, long run) throws SQLException {
        long now = System.nanoTime();
        kept.values().removeIf(each -> now - each.at() > KEPT_NANOS);
        Kept known = kept.get(run);
        if (known != null) {
            return known.estimate();
        }
        Estimate estimate = Estimate.now(connection, run);
        if (kept.size() < MOST) {
            kept.put(run, new Kept(System.nanoTime(), estimate));
        }
        return estimate;
    }
}
