package dev.quiver.controller.pool.scaling;

/**
 * The work that waits for a pool.
 *
 * @param pods that it needs; without a bound of the pool
 * @param queued tasks that wait for a slot
 * @param untaken tasks among them that no worker of the pool takes, although one is idle or none serves their function
 * @param workSeconds that one slot would take for the others and for the rest of the running tasks
 */
public record Need(int pods, long queued, long untaken, long workSeconds) {

    /** No work. */
    public static final Need NONE = new Need(0, 0, 0, 0);
}
