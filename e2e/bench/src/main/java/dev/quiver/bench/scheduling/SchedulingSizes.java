package dev.quiver.bench.scheduling;

import dev.quiver.bench.Pace;

/**
 * How much {@code scheduling} queues.
 *
 * @param lives tasks of a block, of which there is one for each kind of rank in turn
 * @param blocks of each size of a batch
 * @param queued tasks that a boost may concern
 * @param backlog tasks of the key that keeps a pool busy
 * @param waits of the other key that are timed
 * @param viewed seconds of the simulation
 */
record SchedulingSizes(int lives, int blocks, int queued, int backlog, int waits, int viewed) {

    private static final SchedulingSizes FULL = new SchedulingSizes(1_280, 15, 100_000, 200_000, 1_000, 600);
    private static final SchedulingSizes SMOKE = new SchedulingSizes(128, 1, 2_000, 2_000, 20, 130);

    static SchedulingSizes of(Pace pace) {
        return pace.rounds() > 1 ? FULL : SMOKE;
    }
}
