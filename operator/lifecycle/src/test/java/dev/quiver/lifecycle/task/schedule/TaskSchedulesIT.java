package dev.quiver.lifecycle.task.schedule;

import static dev.quiver.lifecycle.task.World.chain;
import static dev.quiver.lifecycle.task.World.each;
import static dev.quiver.lifecycle.task.World.failed;
import static dev.quiver.lifecycle.task.World.group;
import static dev.quiver.lifecycle.task.World.leaf;
import static dev.quiver.lifecycle.task.World.passed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.execution.TaskInvocation;
import dev.quiver.lifecycle.keyspace.KeyspaceHealth;
import dev.quiver.lifecycle.keyspace.StaleLeaderException;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.World.Worker;
import dev.quiver.lifecycle.task.commands.ScheduleFire;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.schedule.ScheduleSpec.Policy;
import dev.quiver.lifecycle.task.schedule.TaskSchedules.Before;
import dev.quiver.lifecycle.task.work.TaskLeaf;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.RunningTask;

/** Schedules: the operator puts them, and whoever ticks fires them, with the rights of a tenant. */
class TaskSchedulesIT {

    private static final String UID = "u";
    private static final ScheduleSpec YEARLY = ScheduleSpec.of("@yearly", "Etc/UTC");
    private static final ScheduleSpec MINUTES = ScheduleSpec.of("* * * * *", "Europe/Berlin");

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;
    private TaskSchedules schedules;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        schedules = new Lifecycle(world.store).schedules(world.keyspace, 7);
    }

    @AfterEach
    void end() {
        world.close();
    }

    private void put(ScheduleSpec spec, TreeNode root) {
        schedules.put(spec, TaskTree.of(UID, root), Before.NONE);
    }

    private ScheduleReport report() {
        return schedules.report(UID).orElseThrow();
    }

    /** Makes it due at a time, as if it had been put long ago. */
    private void due(Instant time) {
        String at = Long.toString(time.toEpochMilli());
        String before = world.store.ask(redis -> redis.hget(world.keys.schedule(UID), "next_at"));
        world.store.ask(redis -> redis.zrem(world.keys.commands(), "fire\t" + UID + "\t" + before + "\t\t0"));
        world.store.ask(redis -> redis.hset(world.keys.schedule(UID), "next_at", at));
        world.store.ask(
                redis -> redis.zadd(world.keys.commands(), time.toEpochMilli(), "fire\t" + UID + "\t" + at + "\t\t0"));
    }

    private long commands() {
        return world.store.ask(redis -> redis.zcard(world.keys.commands()));
    }

    private Instant now() {
        return ScheduleFire.now(world.store);
    }

    /** The last whole minute, which every schedule of these tests has. */
    private Instant minute() {
        return Instant.ofEpochSecond(now().getEpochSecond() / 60 * 60);
    }

    private void fire() {
        due(now().minusMillis(500));
        world.tick();
    }

    private static ScheduleSpec with(ScheduleSpec spec, Policy policy, boolean suspended, int good, int bad) {
        return new ScheduleSpec(spec.cron(), spec.zone(), Optional.empty(), policy, suspended, good, bad);
    }

    private static ScheduleSpec within(ScheduleSpec spec, Duration deadline) {
        return new ScheduleSpec(spec.cron(), spec.zone(), Optional.of(deadline), Policy.ALLOW, false, 3, 1);
    }

    private List<Long> numbers() {
        return report().runs().stream().map(ScheduleReport.Run::number).toList();
    }

    private long keysOf(String uid) {
        return List.of(world.keys.nodes(), world.keys.body(), world.keys.results(), world.keys.roots()).stream()
                .flatMap(key -> world.store.ask(redis -> redis.hkeys(key)).stream())
                .filter(field -> field.startsWith(uid))
                .count();
    }

    @Test
    void firesWithoutTheOperatorAndTellsTheTaskItsRun() {
        put(YEARLY, chain(leaf("a"), leaf("b", "q", "g")));
        assertThat(report().next().orElseThrow()).isAfter(now());
        assertThat(report().runs()).isEmpty();
        assertThat(world.nodes()).as("the template is no tree").isZero();
        Instant time = now().minusMillis(500);
        due(time);
        world.reaper.tick();
        world.tick();
        ScheduleReport begun = report();
        assertThat(begun.next().orElseThrow()).isAfter(now());
        assertThat(begun.last().orElseThrow()).isEqualTo(Instant.ofEpochMilli(time.toEpochMilli()));
        assertThat(begun.missed()).isZero();
        ScheduleReport.Run run = begun.runs().getFirst();
        assertThat(run.number()).isEqualTo(1);
        assertThat(run.state()).isEqualTo(TreeState.State.IDLE);
        assertThat(run.began()).isPresent();
        Worker p = world.worker("p", "h");
        Claim claim = p.claim().getFirst();
        TaskInvocation.Handler call = (TaskInvocation.Handler)
                ((TaskLeaf) claim.task()).render(new SlotFacts(0, "pod", "in", "out", 1 << 20));
        assertThat(call.env())
                .containsEntry("QUIVER_RUN", "1")
                .containsEntry(
                        "QUIVER_SCHEDULED_TIME", begun.last().orElseThrow().toString());
        p.step(List.of(passed(claim, "[1,2.50,\"x\"]")), 8);
        Worker q = world.worker("q", "g");
        world.tick();
        assertThat(world.arguments(q.claim().getFirst())).isEqualTo("[\"b\",[1,2.50,\"x\"]]");
        q.step(List.of(passed(q.held.getFirst(), "0")), 8);
        assertThat(report().runs().getFirst().succeeded()).isTrue();
        assertThat(report().succeeded()).isEqualTo(report().runs().getFirst().ended());
        assertThat(world.trees.result(run.tree(), 100)).isEqualTo("0");
    }

    @Test
    void treeOfEveryKindIsCopiedWhole() {
        put(YEARLY, chain(leaf("a"), each(chain(leaf("x"), leaf("y")), 0), group(leaf("z"))));
        fire();
        Worker worker = world.worker("p", "h");
        world.work(worker, claim -> Optional.of(claim.task().name().equals("a") ? "[1,2]" : "\"\""));
        assertThat(report().runs().getFirst().succeeded()).isTrue();
        assertThat(world.trees.result("u-1", 100)).isEqualTo("[\"\"]");
        assertThat(world.trees.drop("u-1", 0)).isTrue();
        world.tick();
        assertThat(world.nodes()).isZero();
    }

    @Test
    void manyTicksFireOnce() throws Exception {
        put(MINUTES, leaf("a"));
        ExecutorService ticks = Executors.newFixedThreadPool(4);
        try {
            for (int round = 1; round <= 10; round++) {
                due(minute().minusSeconds(60));
                List<Callable<Void>> all = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    all.add(() -> {
                        world.tick();
                        return null;
                    });
                }
                for (Future<Void> done : ticks.invokeAll(all)) {
                    done.get();
                }
                assertThat(report().runs()).hasSize(round);
            }
        } finally {
            ticks.shutdownNow();
        }
        assertThat(report().missed()).isBetween(10L, 11L);
    }

    @Test
    void whoSawAnEarlierTimeChangesNothing() {
        put(YEARLY, leaf("a"));
        Instant time = now().minusMillis(500);
        due(time);
        world.tick();
        String late = "fire\t" + UID + "\t" + time.toEpochMilli() + "\t\t0";
        world.store.ask(redis -> redis.zadd(world.keys.commands(), 1, late));
        world.tick();
        assertThat(numbers()).containsExactly(1L);
        assertThat(commands()).isEqualTo(1);
    }

    @Test
    void dayAloneIsMadeUpForOnce() {
        put(MINUTES, leaf("a"));
        Instant first = minute().minus(Duration.ofDays(1));
        due(first);
        world.tick();
        ScheduleReport report = report();
        assertThat(report.runs()).hasSize(1);
        assertThat(report.last().orElseThrow()).isAfterOrEqualTo(minute().minusSeconds(60));
        assertThat(report.missed()).isBetween(1440L, 1441L);
        assertThat(report.next().orElseThrow())
                .isEqualTo(report.last().orElseThrow().plusSeconds(60));
    }

    @Test
    void runThatWouldStartTooLateIsMissed() {
        put(within(YEARLY, Duration.ofSeconds(10)), leaf("a"));
        due(now().minusSeconds(11));
        world.tick();
        assertThat(report().runs()).isEmpty();
        assertThat(report().missed()).isEqualTo(1);
        assertThat(report().last()).isEmpty();
        due(now().minusSeconds(5));
        world.tick();
        assertThat(numbers()).containsExactly(1L);
    }

    @Test
    void forbiddenOverlapIsMissedWhileARunHangs() {
        put(with(YEARLY, Policy.FORBID, false, 3, 1), leaf("a"));
        fire();
        Worker worker = world.worker("p", "h");
        Claim hanging = worker.claim().getFirst();
        fire();
        fire();
        assertThat(numbers()).containsExactly(1L);
        assertThat(report().missed()).isEqualTo(2);
        worker.step(List.of(passed(hanging, "1")), 0);
        fire();
        assertThat(numbers()).containsExactly(2L, 1L);
    }

    @Test
    void replacedRunIsCancelled() {
        put(with(YEARLY, Policy.REPLACE, false, 3, 1), group(leaf("a"), leaf("b")));
        fire();
        Worker worker = world.worker("p", "h");
        Claim hanging = worker.step(List.of(), 1).claims().getFirst();
        fire();
        assertThat(report().runs().get(1)).returns("Cancelled", ScheduleReport.Run::reason);
        assertThat(report().runs().get(1).ended()).isPresent();
        assertThat(worker.source.attend(List.of(new RunningTask(hanging.id(), 0, 0))))
                .containsExactly(hanging.id());
        worker.step(List.of(passed(hanging, "1")), 0);
        assertThat(worker.claim()).hasSize(2).allMatch(claim -> claim.id().startsWith("u-2."));
    }

    @Test
    void allowedRunsOverlap() {
        put(YEARLY, leaf("a"));
        fire();
        fire();
        assertThat(report().live()).hasSize(2);
        assertThat(world.worker("p", "h").claim()).hasSize(2);
    }

    @Test
    void suspendedScheduleCountsWhatItMisses() {
        put(with(YEARLY, Policy.ALLOW, true, 3, 1), leaf("a"));
        fire();
        assertThat(report().runs()).isEmpty();
        assertThat(report().missed()).isEqualTo(1);
        put(YEARLY, leaf("a"));
        world.tick();
        assertThat(report().runs()).isEmpty();
        fire();
        assertThat(numbers()).containsExactly(1L);
    }

    @Test
    void soManyRunsAreKeptAsTheLimitsAllow() {
        put(with(YEARLY, Policy.ALLOW, false, 2, 1), leaf("a"));
        Worker worker = world.worker("p", "h");
        for (int i = 1; i <= 8; i++) {
            fire();
            Claim claim = worker.claim().getFirst();
            worker.step(List.of(i % 3 == 0 ? failed(claim) : passed(claim, "" + i)), 0);
        }
        assertThat(report().exceeds(2, 1)).isTrue();
        schedules.tidy(UID);
        assertThat(numbers()).containsExactly(8L, 7L, 6L);
        assertThat(report().exceeds(2, 1)).isFalse();
        assertThat(keysOf("u-"))
                .as("two with a result, one with an error: node, body, result, root each")
                .isEqualTo(12);
        put(with(YEARLY, Policy.ALLOW, false, 0, 0), leaf("a"));
        Instant succeeded = report().succeeded().orElseThrow();
        schedules.tidy(UID);
        assertThat(report().runs()).isEmpty();
        assertThat(report().succeeded()).as("it is still known").hasValue(succeeded);
        assertThat(keysOf("u-")).isZero();
    }

    @Test
    void nextRunTakesTheTemplateOfItsTime() {
        put(YEARLY, chain(leaf("a"), leaf("b")));
        fire();
        Optional<Instant> next = report().next();
        put(YEARLY, leaf("c"));
        assertThat(report().next()).as("the times stay").isEqualTo(next);
        long left = world.store.ask(redis -> redis.hlen(world.keys.template(UID)));
        assertThat(left).isEqualTo(1);
        Worker worker = world.worker("p", "h");
        fire();
        assertThat(worker.claimNames()).containsExactly("a", "c");
        put(ScheduleSpec.of("@monthly", "Etc/UTC"), leaf("c"));
        assertThat(report().next()).isNotEqualTo(next);
        assertThat(commands()).as("the earlier time is taken back").isEqualTo(1);
    }

    @Test
    void largeTemplateIsBroughtInPiecesAndFiredAtOnce() {
        TreeNode wide = group(
                TreeNode.OnChildError.FAIL,
                IntStream.range(0, 999)
                        .mapToObj(i -> new TreeNode.Leaf(
                                "p",
                                Optional.of("h"),
                                1,
                                1,
                                new TaskBody(
                                        "n" + i,
                                        World.body("n", "h").execution(),
                                        List.of(),
                                        Map.of("X", "x".repeat(200)),
                                        Optional.empty(),
                                        World.body("n", "h").backoff())))
                        .<TreeNode>map(node -> node)
                        .toList());
        put(YEARLY, wide);
        put(YEARLY, wide);
        fire();
        assertThat(world.nodes()).isEqualTo(1000);
        world.tick();
        Worker worker = world.worker("p", "h");
        world.work(worker, _ -> Optional.of("1"));
        assertThat(report().runs().getFirst().succeeded()).isTrue();
    }

    @Test
    void stoppedScheduleKeepsItsRunsAndDroppedOneLeavesNoKey() {
        put(YEARLY, chain(leaf("a"), leaf("b")));
        fire();
        Worker worker = world.worker("p", "h");
        Claim held = worker.claim().getFirst();
        schedules.stop(UID);
        assertThat(report().next()).isEmpty();
        assertThat(report().live()).hasSize(1);
        assertThat(schedules.present("*")).containsExactly(UID);
        assertThat(schedules.drop(UID, 10)).isTrue();
        assertThat(schedules.report(UID)).isEmpty();
        worker.step(List.of(passed(held, "1")), 8);
        assertThat(worker.claim()).isEmpty();
        world.tick();
        assertThat(world.nodes()).isZero();
        assertThat(schedules.present("*")).isEmpty();
        assertThat(schedules.drop(UID, 10)).isTrue();
        List<String> keys = world.store.ask(redis -> redis.keys(world.keyspace.prefix() + "task:*:u"));
        assertThat(keys).isEmpty();
    }

    @Test
    void fireThatLostTheRaceWithADropDoesNothing() {
        put(YEARLY, leaf("a"));
        Instant time = now().minusMillis(500);
        due(time);
        schedules.drop(UID, 1);
        world.store.ask(
                redis -> redis.zadd(world.keys.commands(), 1, "fire\t" + UID + "\t" + time.toEpochMilli() + "\t\t0"));
        world.tick();
        assertThat(world.nodes()).isZero();
        assertThat(schedules.report(UID)).isEmpty();
        assertThat(commands()).isZero();
    }

    @Test
    void scheduleThatCannotBeComputedIsRefused() {
        assertThatThrownBy(() -> put(ScheduleSpec.of("0 0 30 2 *", "Etc/UTC"), leaf("a")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("never comes");
        put(YEARLY, leaf("a"));
        world.store.ask(redis -> redis.hset(world.keys.schedule(UID), "zone", "Europe/Atlantis"));
        fire();
        assertThat(report().runs()).as("another process may know the zone").isEmpty();
        assertThat(commands()).isEqualTo(1);
    }

    @Test
    void lostScheduleGoesOnWithItsNumbers() {
        schedules.put(YEARLY, TaskTree.of(UID, leaf("a")), new Before(41, 3));
        fire();
        assertThat(numbers()).containsExactly(42L);
        assertThat(report().missed()).isEqualTo(3);
    }

    @Test
    void leaderThatWasReplacedChangesNothing() {
        put(YEARLY, leaf("a"));
        new Lifecycle(world.store).schedules(world.keyspace, 8).tidy(UID);
        assertThatThrownBy(() -> put(YEARLY, leaf("b"))).isInstanceOf(StaleLeaderException.class);
        assertThatThrownBy(() -> schedules.stop(UID)).isInstanceOf(StaleLeaderException.class);
        assertThatThrownBy(() -> schedules.drop(UID, 1)).isInstanceOf(StaleLeaderException.class);
        assertThat(report().next()).isPresent();
    }

    @Test
    void whatATenantMadeTooLargeIsNotRead() {
        put(YEARLY, leaf("a"));
        world.store.ask(redis -> redis.hset(world.keys.template(UID), "x", "x".repeat(5 << 20)));
        fire();
        assertThat(report().runs()).isEmpty();
        assertThat(commands()).as("it stays to be fired").isEqualTo(1);
        world.store.ask(redis -> redis.hdel(world.keys.template(UID), "x"));
        world.tick();
        assertThat(numbers()).containsExactly(1L);
        world.store.ask(redis -> redis.zadd(world.keys.runs(UID), 1, "x".repeat(1 << 20)));
        assertThatThrownBy(this::report).isInstanceOf(StoreRefusedException.class);
        assertThat(schedules.drop(UID, 1)).isTrue();
        assertThat(world.trees.find("u-1")).isEmpty();
    }

    @Test
    void keyspaceWithAScheduleIsNotRetired() {
        KeyspaceHealth health = new Lifecycle(world.store).health(world.keyspace, 7);
        put(YEARLY, leaf("a"));
        assertThat(health.retire()).isFalse();
        schedules.drop(UID, 1);
        assertThat(health.retire()).isTrue();
    }

    @Test
    void hangingRunsHaveABound() {
        put(YEARLY, leaf("a"));
        for (int i = 0; i < 103; i++) {
            fire();
        }
        assertThat(report().live()).hasSize(100);
        assertThat(report().missed()).isEqualTo(3);
    }
}
