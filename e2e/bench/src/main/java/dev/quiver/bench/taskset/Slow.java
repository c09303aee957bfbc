package dev.quiver.bench.taskset;

/** One worker of several, made slow: its tests sleep longer. */
enum Slow {
    NONE("all workers alike", 1),
    ALWAYS("one worker 10 times slower, as in the runs before", 10),
    SUDDENLY("one worker 10 times slower, which was quick in the run before", 10),
    FROM_HALF("one worker 10 times slower from half-way on", 10);

    final String words;
    final double factor;

    Slow(String words, double factor) {
        this.words = words;
        this.factor = factor;
    }

    /** How that worker was in the runs before, of which it knows its speed. */
    Slow before() {
        return this == ALWAYS ? ALWAYS : NONE;
    }

    /**
     * Runs before, after which it knows. Its speed is the median of its last five tasks, and the first slow run gives it only
     * two: the longest.
     */
    int runsBefore() {
        return this == ALWAYS ? 2 : 1;
    }

    /** Speed of that worker in the mean, where the others have 1. */
    double speed() {
        return this == FROM_HALF ? 1 : 1 / factor;
    }

    /** Seconds since 1970 from which it is slow, for a run that begins now and would take so long at best. */
    long from(double ideal) {
        long now = System.currentTimeMillis() / 1000;
        return this == FROM_HALF ? now + Math.round(ideal / 2) : 0;
    }
}
