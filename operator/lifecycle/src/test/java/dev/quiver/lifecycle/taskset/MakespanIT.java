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

/** How long a set of uneven tasks takes beside a slow worker, with an order and without, in virtual time. */
class MakespanIT {

    private static final int SEEDS = 5;
    private static final int TASKS = 600;

    /** Nothing ends by real time. */
    private static final LeaseTimes BY_HAND =
            new LeaseTimes(Duration.ofMinutes(10), Duration.ofHours(1), Duration.ZERO);

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private static double median(double slower, boolean ordered) {
        try (RedisStore store = REDIS.open()) {
            double[] ratios = LongStream.rangeClosed(1, SEEDS)
                    .mapToDouble(seed -> {
                        try (World world = new World(new Lifecycle(store, BY_HAND))) {
                            return new MakespanRun(store, world, seed, TASKS, slower, ordered).ratio();
                        }
                    })
                    .sorted()
                    .toArray();
            System.out.printf(
                    "makespan / ideal, one worker %.0f times slower, %s: median %.2f, worst %.2f%n",
                    slower, ordered ? "order and speed" : "source order", ratios[SEEDS / 2], ratios[SEEDS - 1]);
            return ratios[SEEDS / 2];
        }
    }

    @Test
    void aSlowWorkerHoldsNoRunUpThatHasAnOrder() {
        double without = median(10, false);
        assertThat(median(10, true)).isLessThan(1.2).isLessThan(without);
    }

    @Test
    void evenWorkersEndTogether() {
        assertThat(median(1, true)).isLessThan(1.2);
    }

    @Test
    void aWorkerThatIsALittleSlowerCountsAsAny() {
        assertThat(median(2, true)).isLessThan(1.25);
    }
}
