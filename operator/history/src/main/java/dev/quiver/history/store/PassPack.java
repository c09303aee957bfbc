package dev.quiver.history.store;

/**
 * First-time passes of one run, one step and one worker: a row of the table {@code passes}.
 *
 * @param firstTask smallest number of a task
 * @param lastTask largest number of a task
 * @param n how many
 * @param millisSum sum of their run times
 * @param millisMax longest run time
 * @param packed rows of {@link dev.quiver.lifecycle.history.StepRows}, passes only
 */
record PassPack(long firstTask, long lastTask, int n, long millisSum, long millisMax, byte[] packed) {

    /** Sums up what is packed. Not thread-safe. */
    static final class Sums {

        private long first = Long.MAX_VALUE;
        private long last = Long.MIN_VALUE;
        private int n;
        private long millis;
        private long most;

        void add(long task, long runMillis) {
            first = Math.min(first, task);
            last = Math.max(last, task);
            n++;
            millis += runMillis;
            most = Math.max(most, runMillis);
        }

        PassPack packed(byte[] bytes) {
            return new PassPack(first, last, n, millis, most, bytes);
        }
    }
}
