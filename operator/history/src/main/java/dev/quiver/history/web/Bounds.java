package dev.quiver.history.web;

import java.time.Duration;

import dev.quiver.history.store.Database;

/**
 * The amounts that all requests together may take of this process, and one namespace's part of them, as {@link Shares}
 * have it.
 *
 * @param answers bytes of answers from when they are made until their callers have taken them
 * @param work bytes of what is built in memory for an answer: timelines, comparisons, estimates
 * @param exports exports that go on
 * @param viewers event streams, by namespace
 * @param viewersOfOne event streams, by caller
 */
record Bounds(Shares answers, Shares work, Shares exports, Shares viewers, Shares viewersOfOne) {

    /** How long a request waits for its turn. */
    static final Duration PATIENCE = Duration.ofSeconds(15);

    private static final int VIEWERS = 512;
    private static final int VIEWERS_OF_ONE = 64;

    /** As parts of the heap. The rest is for the program itself and the persister. */
    static Bounds of(long heap) {
        return new Bounds(
                new Shares(heap / 8),
                new Shares(heap / 4),
                new Shares(Database.Threads.EXPORTS),
                new Shares(VIEWERS),
                new Shares(VIEWERS, VIEWERS_OF_ONE));
    }

    /** The bounds of this process. */
    static Bounds ofProcess() {
        return of(Runtime.getRuntime().maxMemory());
    }
}
