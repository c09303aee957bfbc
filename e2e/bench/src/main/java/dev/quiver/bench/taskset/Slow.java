package dev.quiver.bench.taskset;

/** One worker of several, made slow: its tests sleep longer. */
enum Slow {
    NONE("all workers alike", 1),
    ALWAYS("one worker 10 times slower", 10),
    FROM_HALF("one worker 10 times slower from half-way on", 10);

    final String words;
    final double factor;

    Slow(String words, double factor) {
        this.words = words;
        this.factor = factor;
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
