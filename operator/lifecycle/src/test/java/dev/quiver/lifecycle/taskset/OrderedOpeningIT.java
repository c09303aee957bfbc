package dev.quiver.lifecycle.taskset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.LeaderCalls;
import dev.quiver.lifecycle.keyspace.StaleLeaderException;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.ExecutionSpecJson;
import dev.quiver.lifecycle.ordinals.SpecReader;
import dev.quiver.lifecycle.redis.BinaryText;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptCode;
import dev.quiver.lifecycle.redis.ScriptReply;

/** The order that stands before its set is opened, and what becomes of it where the two are torn apart. */
class OrderedOpeningIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private RedisStore store;
    private World world;

    @BeforeEach
    void open() {
        store = REDIS.open();
        world = new World(new Lifecycle(store));
    }

    @AfterEach
    void close() {
        world.close();
        store.close();
    }

    /** The last task first, each of them known. */
    private static ClaimOrder backwards(int tasks) {
        return new ClaimOrder(
                IntStream.range(0, tasks).map(i -> tasks - 1 - i).toArray(),
                IntStream.range(0, tasks).map(i -> 2 * i + 2).toArray(),
                OptionalInt.of(12));
    }

    private static TaskSetOpening opening(String uid, int tasks, ClaimOrder order) {
        return TaskSetOpening.of(uid, "p", World.count(tasks), TaskSetLimits.DEFAULT)
                .ordered(Optional.of(order));
    }

    private String key(String uid) {
        return new TaskSetKeys(world.keyspace, uid).source().order();
    }

    private long length(String uid) {
        return store.ask(redis -> redis.strlen(key(uid)));
    }

    private List<String> fields(String uid) {
        return Arrays.stream(new String[] {"ordered", "fresh_ms", "order_ms"})
                .map(field -> store.ask(redis -> redis.hget(new TaskSetKeys(world.keyspace, uid).set(), field)))
                .toList();
    }

    private ScriptReply write(String uid, int offset, byte[] part) {
        TaskSetScriptKeys keys = TaskSetScriptKeys.ofPool(world.keyspace, "p", uid);
        return new LeaderCalls(store, world.keyspace, 1)
                .run(TaskSetScripts.ORDER, keys::key, uid, offset, BinaryText.marked(part));
    }

    @Test
    void standsWholeWhenItsSetOpens() {
        ClaimOrder order = backwards(20_000);
        assertThat(world.control.open(opening("u", 30_000, order)))
                .isEqualTo(new TaskSetControl.OpenOutcome.Open(true, 30_000, true));
        assertThat(length("u")).isEqualTo(240_000);
        assertThat(fields("u")).containsExactly("20000", "" + order.millis(), "" + order.millis());
        String whole = store.ask(redis -> redis.get(key("u")));
        assertThat(whole).isNotEmpty();
        assertThat(world.look("u").order())
                .contains(new OrderProgress(
                        20_000,
                        0,
                        Duration.ofMillis(order.millis()),
                        Duration.ofMillis(order.millis()),
                        OptionalInt.of(12)));
        // Another leader that opens it again changes nothing, whatever it knows.
        assertThat(world.control.open(opening("u", 30_000, backwards(3))))
                .isEqualTo(new TaskSetControl.OpenOutcome.Open(false, 30_000, true));
        assertThat(length("u")).isEqualTo(240_000);
        assertThat(fields("u")).containsExactly("20000", "" + order.millis(), "" + order.millis());
    }

    /** The one before knows one cursor, and would give some tasks out twice and others never. */
    @Test
    void aWorkerOfAReleaseWithoutOrdersCanNotReadTheSet() {
        world.control.open(opening("u", 10, backwards(10)));
        world.open("plain", 10);
        assertThat(sourceOf("u")).startsWith("{\"kind\":\"ordered\",\"of\":{\"kind\":\"count\",\"tasks\":10");
        assertThat(sourceOf("plain")).startsWith("{\"kind\":\"count\",\"tasks\":10");
        assertThat(new SpecReader(store).read(new TaskSetKeys(world.keyspace, "u").source()))
                .map(ExecutionSpec::source)
                .contains(new ExecutionSpec.TaskSource.Count(10));
    }

    @Test
    void aWorkerOfAReleaseWithoutListsCanNotReadTheProgramThatNamesTasks() {
        world.open(TaskSetControl.listing("u"), 1);
        assertThat(sourceOf(TaskSetControl.listing("u")))
                .startsWith("{\"kind\":\"listing\",\"of\":{\"kind\":\"count\"");
    }

    private String sourceOf(String uid) {
        String spec = store.ask(redis -> redis.hget(new TaskSetKeys(world.keyspace, uid).set(), "spec"));
        return spec.substring(spec.indexOf("\"source\":") + 9);
    }

    @Test
    void theLargestOneIsWrittenWithinItsTime() {
        ClaimOrder order = backwards(ClaimOrder.MOST);
        List<Long> took = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            long begun = System.nanoTime();
            world.control.open(opening("large-" + i, ClaimOrder.MOST, order));
            took.add((System.nanoTime() - begun) / 1_000_000);
        }
        assertThat(length("large-0")).isEqualTo(ClaimOrder.MOST * 12L);
        // Far above what a quiet machine takes, which the report has.
        assertThat(took).as("ms").anyMatch(ms -> ms < 3_000);
    }

    @Test
    void aRepeatWritesTheSameAndAGapIsRefused() {
        byte[] all = backwards(10).part(0, 120);
        assertThat(write("u", 60, Arrays.copyOfRange(all, 60, 120)).code()).isEqualTo(ScriptCode.GAP);
        for (int repeat = 0; repeat < 2; repeat++) {
            assertThat(write("u", 0, Arrays.copyOf(all, 60)).number("known")).isEqualTo(60);
            assertThat(write("u", 60, Arrays.copyOfRange(all, 60, 120)).number("known"))
                    .isEqualTo(120);
        }
        assertThat(write("u", 60, Arrays.copyOfRange(all, 60, 120)).number("known"))
                .as("a part alone")
                .isEqualTo(120);
    }

    @Test
    void oneThatWasCutShortIsNone() {
        TaskSetOpening opening = opening("u", 10, backwards(10));
        write("u", 0, backwards(10).part(0, 119));
        TaskSetScriptKeys keys = TaskSetScriptKeys.ofPool(world.keyspace, "p", "u");
        TaskSetLimits limits = opening.limits();
        new LeaderCalls(store, world.keyspace, 1)
                .run(
                        TaskSetScripts.OPEN,
                        keys::key,
                        "u",
                        "p",
                        ExecutionSpecJson.write(opening.spec()),
                        10,
                        0,
                        limits.maxTrials(),
                        limits.maxLost(),
                        limits.maxFailedTasks(),
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        "",
                        "",
                        10,
                        110,
                        "",
                        0,
                        "");
        assertThat(fields("u")).containsOnlyNulls();
        assertThat(world.look("u").order()).isEmpty();
    }

    @Test
    void whatATenantWritesAboutItIsNoOrder() {
        world.control.open(opening("u", 10, backwards(10)));
        for (String text : List.of("", "x", "-1", "1e3", "9".repeat(40))) {
            store.ask(redis -> redis.hset(new TaskSetKeys(world.keyspace, "u").set(), "order_ms", text));
            assertThat(world.look("u").order()).as(text).isEmpty();
        }
    }

    @Test
    void theSweepFindsOneWhoseSetNeverCame() {
        write("u", 0, backwards(10).part(0, 120));
        assertThat(world.control.present()).contains("u");
        assertThat(world.control.snapshot(List.of("u"))).isEmpty();
        world.control.drop("u");
        assertThat(length("u")).isZero();
        assertThat(world.control.present()).doesNotContain("u");
        assertThat(world.control.open(opening("u", 10, backwards(10))))
                .isEqualTo(new TaskSetControl.OpenOutcome.Buried());
        assertThat(length("u")).as("nothing is left behind a tombstone").isZero();
    }

    @Test
    void aLeaderThatWasReplacedWritesNone() {
        world.lifecycle.control(world.keyspace, 2).open(opening("other", 10, backwards(10)));
        assertThatThrownBy(() -> world.control.open(opening("u", 10, backwards(10))))
                .isInstanceOf(StaleLeaderException.class);
        assertThat(length("u")).isZero();
    }

    @Test
    void aSetWithoutOneIsAsEver() {
        world.open("u", 10);
        assertThat(length("u")).isZero();
        assertThat(fields("u")).containsOnlyNulls();
    }
}
