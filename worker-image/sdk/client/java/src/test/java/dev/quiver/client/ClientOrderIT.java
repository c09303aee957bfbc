package dev.quiver.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.scheduling.PoolOrder;

/** The order of a program's jobs: they wait until all are there, and one worker takes them all then. */
class ClientOrderIT {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final AtomicInteger NUMBER = new AtomicInteger();

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private Workers workers;
    private QuiverClient quiver;

    @BeforeEach
    void begin() {
        workers = new Workers(REDIS.process(), "order" + NUMBER.incrementAndGet());
        quiver = workers.client();
    }

    @AfterEach
    void end() {
        quiver.close();
        workers.close();
    }

    private List<String> run(Job... jobs) throws Exception {
        List<Handle> all = quiver.submit(List.of(jobs));
        return worked(all);
    }

    private List<String> worked(List<Handle> all) throws Exception {
        workers.start();
        quiver.awaitAll(all, LONG);
        return List.copyOf(workers.echoed);
    }

    @Test
    void jobsGoByPriorityAndBoostedTags() throws Exception {
        quiver.boosts("front-end", Map.of("view", 1000, "rest", -1000));
        assertThat(run(
                        Job.call("echo", "rest").tags("rest"),
                        Job.call("echo", "plain"),
                        Job.call("echo", "low").relPriority(-5),
                        Job.call("echo", "high").relPriority(5),
                        Job.group(
                                        Job.call("echo", "seen"),
                                        Job.call("echo", "seen first").relPriority(1))
                                .tags("view", "other")))
                .containsExactly("seen first", "seen", "high", "plain", "low", "rest");
    }

    @Test
    void anOwnersBoostsTakeThePlaceOfItsEarlierOnesAlone() throws Exception {
        List<Handle> all = quiver.submit(List.of(
                Job.call("echo", "a").tags("a"),
                Job.call("echo", "b").tags("b"),
                Job.call("echo", "c").tags("c")));
        quiver.boosts("one", Map.of("a", 100, "b", 3));
        quiver.boosts("other", Map.of("b", 3));
        quiver.boosts("one", Map.of("c", 5));
        assertThat(worked(all)).containsExactly("c", "b", "a");
    }

    @Test
    void boostsEndWithTheirLeaseUnlessTheyAreSaidAgain() throws Exception {
        List<Handle> all = quiver.submit(List.of(
                Job.call("echo", "plain"),
                Job.call("echo", "left").tags("left"),
                Job.call("echo", "held").tags("held")));
        quiver.boosts("gone", Map.of("left", 100), Duration.ofMillis(100));
        quiver.boosts("alive", Map.of("held", 7), Duration.ofMillis(100));
        quiver.boosts("alive", Map.of("held", 7), LONG);
        String classes = workers.keyspace.pool("default") + ":tasks:classes";
        Awaitility.await("the lease has ended").until(() -> {
            workers.lifecycle.reaper(workers.keyspace).tick();
            return !workers.operator.ask(redis -> redis.hexists(classes, "@gone"));
        });
        assertThat(worked(all)).containsExactly("held", "plain", "left");
    }

    @Test
    void keysTakeTurnsWhereThePoolIsFair() throws Exception {
        workers.lifecycle
                .order(workers.keyspace, 1)
                .arrange("default", new PoolOrder.Wishes(Map.of(), 0, Optional.of(Map.of("b", 2))));
        Job backlog = Job.group(IntStream.range(0, 6)
                        .mapToObj(i -> Job.call("echo", "a"))
                        .toArray(Job[]::new))
                .fairnessKey("a");
        Job newcomer = Job.group(IntStream.range(0, 4)
                        .mapToObj(i -> Job.call("echo", "b"))
                        .toArray(Job[]::new))
                .fairnessKey("b");
        List<String> order = run(backlog, newcomer);
        assertThat(order).hasSize(10);
        assertThat(order.subList(0, 6).stream().collect(Collectors.groupingBy(key -> key, Collectors.counting())))
                .as("%s", order)
                .containsEntry("b", 4L);
    }

    @Test
    void orderThatMakesNoSenseIsRefusedInWords() {
        assertThatThrownBy(() -> quiver.submit(Job.call("echo").relPriority(100_000)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("relPriority", "100000");
        assertThatThrownBy(() -> quiver.submit(Job.call("echo").tags("in view")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tags has \"in view\"");
        assertThatThrownBy(() -> quiver.submit(Job.call("echo").tags("a", "b", "c", "d", "e", "f", "g", "h", "i")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("tags", "9");
        assertThatThrownBy(() -> quiver.submit(Job.call("echo").fairnessKey("")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("fairnessKey has \"\"");
        assertThatThrownBy(() -> quiver.boosts("spec", Map.of("view", 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("owner", "spec");
        assertThatThrownBy(() -> quiver.boosts("front-end", Map.of("view", 100_000_000)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("the boost of tag \"view\"", "100000000");
        assertThatThrownBy(() -> quiver.boosts(
                        "front-end", IntStream.range(0, 257).boxed().collect(Collectors.toMap(i -> "t" + i, i -> 1))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("boosts", "257");
        try (QuiverClient other =
                QuiverClient.open(RedisEndpoint.standalone(workers.uri()), workers.keyspace, "gone", LONG)) {
            assertThatThrownBy(() -> other.boosts("front-end", Map.of("view", 1)))
                    .isInstanceOfSatisfying(
                            UnknownPoolException.class,
                            no -> assertThat(no.pool()).isEqualTo("gone"));
        }
    }
}
