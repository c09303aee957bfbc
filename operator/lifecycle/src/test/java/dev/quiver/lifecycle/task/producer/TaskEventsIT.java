package dev.quiver.lifecycle.task.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import io.lettuce.core.XAddArgs;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.NodeOutcome;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.producer.TaskEvents.Event;
import dev.quiver.lifecycle.task.producer.TaskEvents.Kind;

/** Events of tasks, as a program follows them. */
class TaskEventsIT {

    private static final Duration LEASE = Duration.ofMinutes(1);

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;
    private World.Worker worker;
    private TaskProducer producer;
    private TaskEvents events;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        worker = world.worker("p", "h", "h#plan");
        producer = new TaskProducer(world.store, world.keyspace, () -> {});
        events = new TaskEvents(world.store, world.keyspace);
    }

    @AfterEach
    void end() {
        events.close();
        world.close();
    }

    private static TreeNode leaf(String name) {
        return new TreeNode.Leaf("p", Optional.of("h"), 1, 1, World.body(name, "h"));
    }

    private void make(String id, TreeNode root, Duration keep) {
        producer.submit(
                Submission.of(List.of(new TaskTree(
                        id, root, Optional.empty(), false, Optional.empty(), Duration.ZERO, Optional.of(keep)))),
                Duration.ofSeconds(60));
    }

    private void make(String... ids) {
        for (String id : ids) {
            make(id, leaf(id), Duration.ZERO);
        }
    }

    private void pass(String result) {
        worker.claimNames();
        List.copyOf(worker.held).forEach(claim -> worker.step(List.of(World.passed(claim, result)), 0));
    }

    private List<Event> read(String position) {
        return events.after(position, TaskEvents.MOST, LEASE).events();
    }

    private long stored() {
        return world.store.ask(redis -> redis.exists(world.keys.events()));
    }

    @Test
    void nothingIsWrittenWhileNobodyFollows() {
        make("t");
        pass("1");
        assertThat(stored()).isZero();
        boolean numbered = world.store.ask(redis -> redis.hexists(world.keyspace.meta(), "events"));
        assertThat(numbered).isFalse();
    }

    @Test
    void eachEndIsToldOnceAndInOrderWithItsOutcome() {
        make("early");
        pass("0");
        String position = events.begin(LEASE);
        assertThat(read(position)).as("before it was followed").isEmpty();
        make("a", "b");
        pass("{\"n\":7}");
        make("c");
        world.trees.change("c", Trees.Change.CANCEL);
        List<Event> told = read(position);
        assertThat(told).extracting(Event::node).containsExactly("a", "b", "c");
        assertThat(told).extracting(Event::kind).containsExactly(Kind.EXECUTED, Kind.EXECUTED, Kind.FAILED);
        assertThat(told).extracting(Event::handler).containsOnly("h");
        assertThat(told.getFirst().outcome()).contains(new NodeOutcome.Value("{\"n\":7}"));
        assertThat(told.getLast().outcome().orElseThrow())
                .asInstanceOf(InstanceOfAssertFactories.type(NodeOutcome.Failed.class))
                .satisfies(failed -> assertThat(failed.error().reason()).isEqualTo("Cancelled"));
        assertThat(read(told.getFirst().position())).isEqualTo(told.subList(1, 3));
        assertThat(read(told.getLast().position())).isEmpty();
    }

    @Test
    void pagesFollowEachOther() {
        String position = events.begin(LEASE);
        make("a", "b", "c");
        pass("1");
        TaskEvents.Page first = events.after(position, 2, LEASE);
        assertThat(first.events()).extracting(Event::node).containsExactly("a", "b");
        assertThat(first.position()).isEqualTo(first.events().getLast().position());
        assertThat(events.after(first.position(), 2, LEASE).events())
                .extracting(Event::node)
                .containsExactly("c");
    }

    @Test
    void stepsOfAChainAreToldAndThenTheChain() {
        String position = events.begin(LEASE);
        make(
                "t",
                new TreeNode.Chain(
                        List.of(leaf("x"), leaf("y")),
                        TreeNode.OnChildError.FAIL,
                        Optional.empty(),
                        TaskBody.named("chain")),
                Duration.ofHours(1));
        pass("1");
        pass("2");
        List<Event> told = read(position);
        assertThat(told).extracting(Event::node).containsExactly("t.1", "t.2", "t");
        assertThat(told.getLast().outcome()).as("it is that of another node").isEmpty();
        assertThat(told.getLast().handler()).isEmpty();
    }

    @Test
    void aPlanIsToldAndThenWhatItPlanned() {
        String position = events.begin(LEASE);
        make(
                "t",
                new TreeNode.Leaf(
                        "p", Optional.of("h"), 1, 1, World.body("t", "h").planned(5)),
                Duration.ZERO);
        worker.claimNames();
        worker.step(List.of(World.brought(worker.held.getFirst(), "{}")), 0);
        pass("1");
        List<Event> told = read(position);
        assertThat(told).extracting(Event::kind).containsExactly(Kind.PLANNED, Kind.EXECUTED);
        assertThat(told).extracting(Event::handler).containsOnly("h");
        assertThat(told.getFirst().outcome()).isEmpty();
    }

    @Test
    void aLargeResultIsAskedForAndASmallOneIsThere() {
        String position = events.begin(LEASE);
        make("large", leaf("t"), Duration.ofHours(1));
        pass("\"" + "x".repeat(5000) + "\"");
        make("small", leaf("t"), Duration.ofHours(1));
        String small = "\"" + "x".repeat(4000) + "\"";
        pass(small);
        assertThat(read(position))
                .extracting(Event::outcome)
                .containsExactly(Optional.empty(), Optional.of(new NodeOutcome.Value(small)));
    }

    @Test
    void whoComesBackAfterTheLeaseIsToldThatEventsAreLost() {
        String position = events.begin(Duration.ofMillis(1));
        Awaitility.await().until(() -> stored() == 0);
        make("t");
        pass("1");
        assertThatThrownBy(() -> read(position))
                .isInstanceOfSatisfying(EventsLostException.class, lost -> {
                    make("u");
                    pass("2");
                    assertThat(read(lost.position())).extracting(Event::node).containsExactly("u");
                })
                .hasMessageContaining("events are lost");
    }

    /** Whether anything was missed is not known either: nothing was numbered. */
    @Test
    void aLeaseThatEndedWhileNothingHappenedLosesNothingThatIsKnown() {
        String position = events.begin(Duration.ofMillis(1));
        Awaitility.await().until(() -> stored() == 0);
        make("t");
        pass("1");
        make("u");
        String again = events.begin(LEASE);
        pass("2");
        assertThat(read(again)).extracting(Event::node).containsExactly("u");
        assertThatThrownBy(() -> read(position)).isInstanceOf(EventsLostException.class);
    }

    @Test
    void eventsThatWereTrimmedAreLostAndTheOthersAreThere() {
        String position = events.begin(LEASE);
        make("a", "b", "c");
        pass("1");
        List<Event> told = read(position);
        world.store.ask(redis -> redis.xtrim(world.keys.events(), 1));
        assertThatThrownBy(() -> read(position)).isInstanceOf(EventsLostException.class);
        assertThat(read(told.get(1).position())).extracting(Event::node).containsExactly("c");
        assertThatThrownBy(() -> read(told.getFirst().position())).isInstanceOf(EventsLostException.class);
    }

    @Test
    void largeOutcomesStayBelowTheirBound() {
        String position = events.begin(LEASE);
        String large = "\"" + "x".repeat(4000) + "\"";
        for (int i = 0; i < 300; i++) {
            int round = i;
            make(IntStream.range(0, 64).mapToObj(n -> "t" + round + "-" + n).toArray(String[]::new));
            worker.claimNames();
            worker.step(
                    List.copyOf(worker.held).stream()
                            .<dev.quiver.lifecycle.worker.Settlement>map(claim -> World.passed(claim, large))
                            .toList(),
                    0);
        }
        long bytes = world.store.ask(redis -> redis.memoryUsage(world.keys.events()));
        assertThat(bytes).isLessThan(80L << 20);
        assertThatThrownBy(() -> read(position)).isInstanceOf(EventsLostException.class);
    }

    @Test
    void whoWaitsIsWokenByTheNextEvent() {
        String position = events.begin(LEASE);
        assertThat(events.await(position, Duration.ofMillis(1))).isFalse();
        make("t");
        pass("1");
        assertThat(events.await(position, Duration.ofSeconds(5))).isTrue();
        assertThat(events.await(read(position).getLast().position(), Duration.ofMillis(1)))
                .isFalse();
    }

    @Test
    void aPositionThatMakesNoSenseIsRefused() {
        for (String senseless : List.of("0", "1-2", "1-2/", "/1", "1-2/3x", "9".repeat(60) + "-1/1")) {
            assertThatThrownBy(() -> read(senseless))
                    .as(senseless)
                    .isInstanceOf(StoreRefusedException.class)
                    .hasMessageContaining("the position cannot be read");
        }
    }

    /** A tenant may have put anything there. */
    @Test
    void aKeyThatIsNoStreamKeepsNoTaskFromEnding() {
        world.store.ask(redis -> redis.set(world.keys.events(), "x"));
        make("t");
        pass("1");
        assertThat(world.trees.report("t", 0)).isEmpty();
    }

    /** A tenant may write entries, and an id behind which none can be. */
    @Test
    void entriesThatAreNotOursAreALossAndKeepNoTaskFromEnding() {
        String position = events.begin(LEASE);
        make("t");
        pass("1");
        Event told = read(position).getFirst();
        String next = Long.toString(Long.parseLong(told.position().split("/")[1]) + 1);
        world.store.ask(redis -> redis.xadd(world.keys.events(), "number", next, "kind", "odd"));
        assertThatThrownBy(() -> read(told.position())).isInstanceOf(EventsLostException.class);

        String most = "18446744073709551615";
        world.store.ask(redis -> redis.xadd(world.keys.events(), new XAddArgs().id(most + "-" + most), "number", "1"));
        make("u");
        pass("2");
        assertThat(world.trees.report("u", 0)).as("it has ended").isEmpty();
        assertThat(stored()).isZero();
        assertThatThrownBy(() -> read(told.position())).isInstanceOf(EventsLostException.class);
    }
}
