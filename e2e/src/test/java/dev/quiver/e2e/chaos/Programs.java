package dev.quiver.e2e.chaos;

import java.nio.file.Path;
import java.util.List;

import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Job;
import dev.quiver.e2e.quiver.Record;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tree;

/** A pool of its own for what begins again and again: schedules that fire each minute, and the tasks of clients. */
record Programs(List<MinutelySchedule> trees, MinutelySchedule job, ClientPrograms clients, Victim victim) {

    private static final String POOL = "chaos-programs";
    private static final int NUMBERS = 6; // of a run of a schedule
    private static final int FAILED = 1 + (NUMBERS - 1) / Runs.FAILING;

    /**
     * Begins all of them, and returns when they are in Redis.
     *
     * @param folder for what is packed on the way
     */
    static Programs begin(Space space, Path folder) {
        space.kubectl().apply(Functions.pool(POOL, 2, 4, 0.02));
        space.pool(POOL).awaitReady();
        List<MinutelySchedule> trees =
                List.of(tree(space, "chaos-allow", "Allow"), tree(space, "chaos-forbid", "Forbid"));
        MinutelySchedule job = job(space, "chaos-minutes");
        return new Programs(trees, job, ClientPrograms.begin(space, POOL, folder), Victim.of(space.pool(POOL)));
    }

    /** Lets the clients create nothing more. */
    void stopClients() {
        clients.stop();
    }

    /** Lets no schedule fire any more. Every minute up to now must have had its run. */
    void stopSchedules(int mostMissed, String seed) {
        trees.forEach(schedule -> schedule.stop(mostMissed, seed));
        job.stop(mostMissed, seed);
    }

    /** Waits for all ends, and asserts that each run and each task of the clients is there once, in Redis and on record. */
    void assertExact(Record record, Installation quiver, String seed) {
        clients.assertExact(record, quiver, seed);
        int succeeded = NUMBERS - FAILED + 2; // with the list and the sum
        trees.forEach(schedule -> schedule.assertExact(record, succeeded, FAILED, seed));
        job.assertExact(record, succeeded + 1, FAILED, seed); // with a combine
    }

    private static MinutelySchedule tree(Space space, String name, String policy) {
        space.kubectl().apply(Functions.tree(name, POOL, NUMBERS, schedule(policy)));
        Tree tree = space.tree(name);
        return new MinutelySchedule(name, () -> tree.status().schedule(), tree::patch);
    }

    private static MinutelySchedule job(Space space, String name) {
        space.kubectl().apply(Functions.job(name, POOL, NUMBERS, schedule("Allow")));
        Job job = space.job(name);
        return new MinutelySchedule(name, () -> job.status().schedule(), job::patch);
    }

    private static String schedule(String policy) {
        return """
                schedule:
                  cron: "* * * * *"
                  concurrencyPolicy: %s
                  successfulRunsHistoryLimit: 10
                  failedRunsHistoryLimit: 10
                """.formatted(policy);
    }
}
