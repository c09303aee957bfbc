package dev.quiver.lifecycle.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.LeaseTimes;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;

/** How long a set of uneven tasks takes beside a slow worker, with an order and copies and without, in virtual time. */
class MakespanIT {

    private static final int SEEDS = 5;
    private static final int TASKS = 600;

    /** No task ends by real time. */
    private static final LeaseTimes BY_HAND =
            new LeaseTimes(Duration.ofMinutes(10), Duration.ofHours(1), Duration.ZERO);

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static final MakespanRun.How SOURCE_ORDER = new MakespanRun.How(false, false, false);
    private static final MakespanRun.How ORDER = new MakespanRun.How(true, false, false);
    private static final MakespanRun.How ORDER_AND_COPIES = new MakespanRun.How(true, true, false);
    private static final MakespanRun.How TURNS_SLOW = new MakespanRun.How(true, false, true);
    private static final MakespanRun.How TURNS_SLOW_WITH_COPIES = new MakespanRun.How(true, true, true);

    /** By median and worst of the seeds, as multiples of the ideal time. */
    private record Makespan(double median, double worst) {}

    private static double median(double slower, MakespanRun.How how) {
        return makespan(slower, how).median();
    }

    private static Makespan makespan(double slower, MakespanRun.How how) {
        try (RedisStore store = REDIS.open()) {
            double[] ratios = LongStream.rangeClosed(1, SEEDS)
                    .mapToDouble(seed -> {
                        try (World world = new World(new Lifecycle(store, BY_HAND))) {
                            return new MakespanRun(store, world, seed, TASKS, slower, how).ratio();
                        }
                    })
                    .sorted()
                    .toArray();
            System.out.printf(
                    "makespan / ideal, one worker %.0f times slower, %s: median %.2f, worst %.2f%n",
                    slower, how, ratios[SEEDS / 2], ratios[SEEDS - 1]);
            return new Makespan(ratios[SEEDS / 2], ratios[SEEDS - 1]);
        }
    }

    @Test
    void aSlowWorkerHoldsNoRunUpThatHasAnOrder() {
        double without = median(10, SOURCE_ORDER);
        assertThat(median(10, ORDER)).isLessThan(1.2).isLessThan(without);
    }

    @Test
    void evenWorkersEndTogether() {
        assertThat(median(1, ORDER)).isLessThan(1.2);
    }

    @Test
    void aWorkerThatIsALittleSlowerCountsAsAny() {
        assertThat(median(2, ORDER)).isLessThan(1.25);
    }

    @Test
    void aWorkerThatTurnsSlowHoldsNoRunUpThatHasCopies() {
        double without = makespan(10, TURNS_SLOW).worst();
        Makespan with = makespan(10, TURNS_SLOW_WITH_COPIES);
        assertThat(with.median()).isLessThan(1.6);
        assertThat(with.worst()).isLessThan(without);
    }

    @Test
    void copiesCostARunWithASlowWorkerNothing() {
        assertThat(median(10, ORDER_AND_COPIES)).isLessThan(1.2);
    }
}
