package dev.quiver.history.persist;

/** One second after the first failure, doubling to thirty; none after a success. Not thread-safe. */
final class Backoff {

    private static final long FIRST_MILLIS = 1_000;
    private static final long MOST_MILLIS = 30_000;

    private long pause;
    private long notBefore = Long.MIN_VALUE;

    /** Waits longer than before. */
    void failed(long now) {
        pause = pause == 0 ? FIRST_MILLIS : Math.min(MOST_MILLIS, pause * 2);
        notBefore = now + pause;
    }

    void succeeded() {
        pause = 0;
        notBefore = Long.MIN_VALUE;
    }

    boolean due(long now) {
        return now >= notBefore;
    }

    long pauseMillis() {
        return pause;
    }
}
