package dev.quiver.lifecycle.worker;

/**
 * A task that runs, by its own account.
 *
 * @param id as its claim names it
 * @param done units that are done; at least 0
 * @param total units in all; 0 while not known
 * @param ranMillis for how long it has run
 */
public record RunningTask(String id, long done, long total, long ranMillis) {

    private static final long WHOLE = 1_000_000;

    /** A task that has just begun. */
    public RunningTask(String id, long done, long total) {
        this(id, done, total, 0);
    }

    /** The work that is done, in millionths of the whole; empty while not known. */
    public String millionths() {
        return total <= 0 ? "" : Long.toString((long) (WHOLE * Math.min(1, (double) done / total)));
    }
}
