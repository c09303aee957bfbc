package dev.quiver.lifecycle.mapreduce;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.quiver.lifecycle.worker.TrialFailure;

/**
 * The chunks of one job at one moment.
 *
 * @param total all of them
 * @param done those that passed
 * @param failed those that were given up, and those combines; with the policy to skip no combine
 * @param skipped those given up that the job went on without
 * @param running chunks and combines that sessions hold; 0 once the source is over
 * @param delayed chunks and combines that wait for their next trial; 0 once the source is over
 * @param combines all combines; 0 where nothing combines
 * @param combinesDone those that ended, or had nothing to combine
 * @param trials settled runs of chunks and combines
 * @param runTime of all of them together
 * @param bytes of the results that are kept
 * @param storeTime this moment, by Redis' clock
 * @param firstSkipped numbers of the first skipped chunks, in order
 * @param failures at most 8, first those that ended a chunk or a combine, in order of their numbers
 */
public record ChunkCounts(
        long total,
        long done,
        long failed,
        long skipped,
        long running,
        long delayed,
        long combines,
        long combinesDone,
        long trials,
        Duration runTime,
        long bytes,
        Instant storeTime,
        List<Integer> firstSkipped,
        List<TrialFailure> failures) {

    /** Copies the lists. */
    public ChunkCounts {
        firstSkipped = List.copyOf(firstSkipped);
        failures = List.copyOf(failures);
    }

    /** Chunks that passed or were given up. */
    public long ended() {
        return Math.min(total, done + failed);
    }
}
