package dev.quiver.bench.scale;

import java.time.Duration;

/**
 * The cost of one run.
 *
 * @param tasks of the run
 * @param time from the creation of the TaskSet to {@code Finished}
 * @param requests that the operator made for it, to TaskSets, pools, pods, Events, ConfigMaps and Secrets
 * @param crBytes the largest size of the TaskSet as JSON while it ran
 * @param redisBytes the most memory that Redis used above its memory before the run
 * @param redisBytesAfter the same when the run was finished and not yet deleted
 */
record Cost(int tasks, Duration time, long requests, long crBytes, long redisBytes, long redisBytesAfter) {}
