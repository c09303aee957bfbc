package dev.quiver.lifecycle.wires.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;

/**
 * Jobs under a prefix by three workers in any order. Workers die with what they hold, trials fail, deadlines pass, and
 * replies are lost. Each job has the results of all its chunks but the poisonous ones, in order, and
 * nothing is left. {@code -Dquiver.seed=N} replays one.
 */
class RandomQueueJobsIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final int SEEDS = 25;
    private static final int JOBS = 3;
    private static final int RETRIES = 12;
    private static final int POISON = 7;

    static LongStream seeds() {
        Long given = Long.getLong("quiver.seed");
        return given != null ? LongStream.of(given) : new Random().longs(SEEDS, 0, Integer.MAX_VALUE);
    }

    private static final class Run {
        final QueueWorld world;
        final Random random;
        final Map<QueueWorld.Worker, List<Claim>> held = new HashMap<>();
        int troubles;

        Run(QueueWorld world, Random random) {
            this.world = world;
            this.random = random;
        }

        boolean isUnderWay() {
            List<String> keys = world.store.ask(redis -> redis.keys(world.prefix + "*"));
            return !keys.isEmpty();
        }

        void join() {
            held.put(world.worker(QueueWorld.SUM), new ArrayList<>());
        }

        Settlement end(QueueWorld.Worker worker, Claim claim) {
            boolean poison =
                    claim.id().startsWith("c") && Integer.parseInt(worker.argument(claim)) % POISON == POISON - 1;
            if (poison || troubles < 8 && random.nextInt(12) == 0) {
                troubles += poison ? 0 : 1;
                return QueueWorld.failed(claim);
            }
            if (random.nextInt(15) == 0) {
                return new Settlement.Returned(claim);
            }
            if (claim.task().brings()) {
                int chunks = Integer.parseInt(worker.argument(claim));
                return QueueWorld.passed(
                        claim,
                        IntStream.range(0, chunks)
                                .mapToObj(Integer::toString)
                                .collect(Collectors.joining(",", "[", "]")));
            }
            return QueueWorld.passed(claim, worker.argument(claim));
        }

        void step(QueueWorld.Worker worker) {
            List<Claim> mine = held.get(worker);
            List<Claim> ending = mine.stream().filter(_ -> random.nextBoolean()).toList();
            mine.removeAll(ending);
            StepCall call =
                    worker.call(ending.stream().map(claim -> end(worker, claim)).toList(), random.nextInt(6));
            StepCall.Outcome outcome = call.run();
            if (random.nextInt(5) == 0) {
                assertThat(((StepCall.Outcome.Done) call.run()).verdicts())
                        .isEqualTo(((StepCall.Outcome.Done) outcome).verdicts());
            }
            mine.addAll(((StepCall.Outcome.Done) outcome).claims());
        }

        void act() {
            QueueWorld.Worker worker = List.copyOf(held.keySet()).get(random.nextInt(held.size()));
            switch (random.nextInt(25)) {
                case 0 -> {
                    if (troubles++ < 8) { // more of it may end a job
                        held.remove(worker);
                        worker.die();
                        join();
                    }
                }
                case 1 -> {
                    if (troubles++ < 8) {
                        List<String> zsets = world.store.ask(redis -> redis.keys(world.prefix + "*:active"));
                        zsets.forEach(world::hurry);
                        world.hurry(world.prefix + (random.nextBoolean() ? "mapping" : "reducing"));
                    }
                }
                case 2 -> world.tick();
                default -> step(worker);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void endsWithAllResultsInOrderAndLeavesNothing(long seed) {
        QueueType type = new QueueType("sum", "sum", RETRIES, Duration.ZERO, Duration.ofSeconds(30));
        try (QueueWorld world = new QueueWorld(REDIS, type)) {
            Random random = new Random(seed);
            Run run = new Run(world, random);
            List<Integer> chunks = IntStream.range(0, JOBS)
                    .map(_ -> random.nextInt(40))
                    .boxed()
                    .toList();
            for (int job = 0; job < JOBS; job++) {
                world.jobs.add("sum", "job" + job, "" + chunks.get(job), Duration.ofMillis(job));
                run.join();
            }
            int acts = 0;
            while (acts % 8 != 0 || run.isUnderWay()) {
                assertThat(acts++).as("seed %s: acts", seed).isLessThan(100_000);
                run.act();
            }
            for (int job = 0; job < JOBS; job++) {
                String expected = IntStream.range(0, chunks.get(job))
                        .filter(chunk -> chunk % POISON != POISON - 1)
                        .mapToObj(Integer::toString)
                        .collect(Collectors.joining(",", "[", "]"));
                QueueJobs.Report.Ended end = (QueueJobs.Report.Ended)
                        world.jobs.report("sum", "job" + job).orElseThrow();
                assertThat(end).as("seed %s", seed).returns("passed", QueueJobs.Report.Ended::how);
                assertThat(end.text()).as("seed %s", seed).isEqualTo(expected);
                world.jobs.forget("sum", "job" + job);
            }
            List<String> left = world.store.ask(redis -> redis.keys(world.keyspace.prefix() + "*queue:ends"));
            assertThat(left).isEmpty();
        }
    }
}
