package dev.quiver.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.e2e.cluster.Images;
import dev.quiver.e2e.quiver.Disturbance;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Record;
import dev.quiver.e2e.quiver.Space;

/**
 * Everything is killed, and Redis' memory is full for a while, in the middle of {@link Runs} and {@link Programs}. A seed
 * decides what happens when, and to whom. {@code -Dquiver.seed=N} replays a run, {@code -Dquiver.seeds=N} makes so many,
 * {@code -Dquiver.chaos.minutes=N} begins others for so long.
 *
 * <p>Three lost workers end a task, and accidents that follow each other closely can hit the same task three times. So an
 * accident waits until no task has a loss on record. One more loss may be on its way by then, and none has three. That
 * wait takes a lease, and minutes on a busy machine: meanwhile the run by which accidents are due has one task at a time.
 */
@Disturbance
@Order(1)
class ChaosE2E {

    private static final Logger LOG = LoggerFactory.getLogger(ChaosE2E.class);
    private static final int BEFORE_THE_LAST =
            Runs.TASKS * 5 / 8; // tasks decided, at most, when the last accident is due

    static LongStream seeds() {
        Long given = Long.getLong("quiver.seed");
        Integer minutes = Integer.getInteger("quiver.chaos.minutes");
        if (given != null) {
            return LongStream.of(given);
        }
        if (minutes == null) {
            return new Random().longs(Integer.getInteger("quiver.seeds", 1), 0, Integer.MAX_VALUE);
        }
        long end =
                System.nanoTime() + Duration.ofMinutes(minutes).toNanos(); // each seed is asked for when its turn comes
        return new Random().longs(0, Integer.MAX_VALUE).takeWhile(_ -> System.nanoTime() < end);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyTaskCountsOnceAndAsWhatItWas(long seed, Space space, Installation quiver, @TempDir Path folder) {
        AccidentPlan plan = AccidentPlan.of(seed, BEFORE_THE_LAST);
        LOG.info("chaos: repeat with -Dquiver.seed={}: {}", seed, plan);
        quiver.load(Images.archives("columns"));
        Programs programs = Programs.begin(space, folder);
        Runs runs = Runs.begin(space);
        Accidents accidents = new Accidents(space, quiver);
        happen(plan, runs, programs, accidents, space, quiver);
        String name = "seed " + seed;
        programs.stopClients();
        runs.awaitFinished();
        programs.stopSchedules(accidents.mostMissed(), name);
        try (Record record = Record.of(space, quiver)) {
            programs.assertExact(record, quiver, name);
            runs.assertExact(record, name);
        }
    }

    private static void happen(
            AccidentPlan plan, Runs runs, Programs programs, Accidents accidents, Space space, Installation quiver) {
        List<Victim> finite = runs.victims(space, quiver);
        List<Victim> all =
                Stream.concat(finite.stream(), Stream.of(programs.victim())).toList();
        runs.beginChunks();
        int happened = 0;
        int duringAJob = 0;
        for (AccidentPlan.Step step : plan.steps()) {
            Awaitility.await(step + " is due")
                    .until(() ->
                            Look.at(quiver.redis(), space.name(), all).decided().getFirst() >= step.due());
            runs.pace(Runs.ONE);
            Look look = Awaitility.await("no task has a loss, for " + step)
                    .until(() -> Look.at(quiver.redis(), space.name(), all), now -> now.losses() == 0);
            List<Victim> going = IntStream.range(0, all.size())
                    .filter(run -> look.decided().get(run) < Runs.TASKS)
                    .mapToObj(all::get)
                    .toList();
            if (Collections.disjoint(going, finite)) {
                break; // looks and kills take longer on a busy machine than the runs do
            }
            Victim run = AccidentPlan.pick(going, step.run());
            LOG.info("chaos: {}, of {}, at {} tasks", step, run.name(), look.decided());
            boolean hit = accidents.happens(step, run);
            runs.pace(Runs.BETWEEN);
            happened += hit ? 1 : 0;
            duringAJob += hit && going.contains(finite.getLast()) ? 1 : 0;
        }
        runs.pace(Runs.ALL);
        assertThat(happened)
                .as("accidents in mid-run")
                .isGreaterThanOrEqualTo(plan.steps().size() / 3);
        assertThat(duringAJob).as("accidents while chunks ran").isPositive();
    }
}
