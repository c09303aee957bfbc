package dev.quiver.lifecycle.task.queue;

import static dev.quiver.lifecycle.task.World.chain;
import static dev.quiver.lifecycle.task.World.group;
import static dev.quiver.lifecycle.task.World.leaf;
import static dev.quiver.lifecycle.task.World.passed;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;

import io.lettuce.core.KeyValue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.World.Worker;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.RunningTask;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;

/** The order in which Tasks are given out, and to whom; and commands. */
class TaskQueuesIT {
    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
    }

    @AfterEach
    void end() {
        world.close();
    }

    @Test
    void cancelledLeafLeavesTheQueueWhereverItWaits() {
        world.begin("t1", leaf("a"));
        world.begin("t2", leaf("b", "q", "nobody"));
        world.begin("t3", group(leaf("c"), leaf("d", "q", "nobody")));
        world.worker("q", "h").claim();
        for (String tree : List.of("t1", "t2", "t3")) {
            world.trees.change(tree, Trees.Change.CANCEL);
            assertThat(world.trees.drop(tree, 3)).isTrue();
            assertThat(world.trees.drop(tree, 3)).as("again").isTrue();
        }
        for (String pool : List.of("p", "q")) {
            String queue = world.keys.hash(pool);
            List<KeyValue<String, String>> facts =
                    world.store.ask(redis -> redis.hmget(queue, "left", "running", "ready"));
            assertThat(facts).extracting(value -> value.getValueOrElse("")).containsExactly("0", "0", "0");
            long left =
                    world.store.ask(redis -> redis.exists(queue + ":plain", queue + ":waiting", queue + ":handlers"));
            assertThat(left).isZero();
        }
        assertThat(world.nodes()).isZero();
    }

    @Test
    void commandThatCannotBeRunCostsNoOtherOne() {
        world.begin("bad", chain(leaf("here"), leaf("there", "q", "h")));
        world.begin("good", chain(leaf("here"), leaf("there", "q", "h")));
        Worker here = world.worker("p", "h");
        here.step(here.claim().stream().map(claim -> passed(claim, "1")).toList(), 0);
        world.store.ask(redis -> redis.hset(world.keys.roots(), "bad", "\t1\t3\t\tsoon\tnone\t"));
        world.reaper.tick();
        assertThat(world.worker("q", "h").claim()).extracting(Claim::id).containsExactly("good.2");
    }

    @Test
    void commandsOfANewerProgramStayAndKeepNoOtherOneBack() {
        for (int i = 0; i < 70; i++) {
            String command = (i % 2 == 0 ? "stamp\tt\t\t\t" : "activate\tt\t\tno:pool\t") + i;
            world.store.ask(redis -> redis.zadd(world.keys.commands(), 2, command));
        }
        world.begin("t", chain(leaf("here"), leaf("there", "q", "h")));
        Worker here = world.worker("p", "h");
        here.step(List.of(passed(here.claim().getFirst(), "1")), 0);
        world.store
                .ask(redis -> redis.zrange(world.keys.commands(), -1, -1))
                .forEach(last -> world.store.ask(redis -> redis.zadd(world.keys.commands(), 1, last)));
        world.reaper.tick();
        assertThat(world.worker("q", "h").claimNames()).containsExactly("there");
        long left = world.store.ask(redis -> redis.zcard(world.keys.commands()));
        assertThat(left).isEqualTo(70);
    }

    @Test
    void aThousandSlotsOfManyHandlersGetTheirTasksInOrder() {
        TreeNode[] many = IntStream.range(0, 400)
                .mapToObj(i -> leaf("x" + i, "p", "h" + i % 40))
                .toArray(TreeNode[]::new);
        world.begin("t", group(many));
        Worker none = world.worker("p");
        for (int i = 0; i < 10; i++) {
            none.step(List.of(), 1);
        }
        String[] all = IntStream.range(0, 40).mapToObj(i -> "h" + i).toArray(String[]::new);
        List<String> names = world.worker("p", all).step(List.of(), 250).claims().stream()
                .map(TaskQueuesIT::name)
                .toList();
        assertThat(names)
                .containsExactlyElementsOf(
                        IntStream.range(0, 250).mapToObj(i -> "x" + i).toList());
    }

    @Test
    void lostAndReturnedTasksGoBeforeLaterOnes() {
        world.begin("t", group(leaf("a"), leaf("b"), leaf("c")));
        Worker dead = world.worker("p", "h");
        Worker other = world.worker("p", "h");
        dead.step(List.of(), 1);
        other.step(List.of(), 1);
        dead.die();
        other.step(List.of(new Settlement.Returned(other.held.getFirst())), 0);
        assertThat(other.claimNames()).containsExactly("a", "b", "c");
    }

    @Test
    void tasksOfAnotherHandlerKeepNobodyWaitingAndTheirPlaceInTheOrder() {
        TreeNode[] many = IntStream.range(0, 300)
                .mapToObj(i -> leaf("x" + i, "p", "other"))
                .toArray(TreeNode[]::new);
        world.begin("t1", group(many));
        world.begin("t2", group(leaf("a"), leaf("b")));
        world.begin("t3", leaf("x300", "p", "other"));
        Worker worker = world.worker("p", "h");
        int steps = 0;
        while (worker.held.isEmpty()) {
            assertThat(steps++).isLessThan(8);
            worker.step(List.of(), 2);
        }
        assertThat(worker.held).extracting(TaskQueuesIT::name).containsExactly("a", "b");
        assertThat(worker.step(List.of(new Settlement.Returned(worker.held.getFirst())), 0)
                        .claimable())
                .as("its own and those that it has not looked at")
                .isEqualTo(2);
        List<String> names = world.worker("p", "h", "other").step(List.of(), 200).claims().stream()
                .map(TaskQueuesIT::name)
                .toList();
        assertThat(names).hasSize(200).first().isEqualTo("x0");
        assertThat(world.worker("p", "other", "h").claimNames().getLast()).isEqualTo("x263");
        assertThat(world.worker("p", "other", "h").claimNames()).endsWith("x299", "a", "x300");
    }

    /** Twenty trees of a thousand tasks each, whose function nobody serves, wait in front of the others. */
    @Test
    void manyTasksOfAFunctionThatNobodyServesStepAsideAndRunWhenItIsServed() {
        for (int tree = 0; tree < 20; tree++) {
            world.begin(
                    "t" + tree,
                    group(IntStream.range(0, 999)
                            .mapToObj(i -> leaf("x", "p", "other"))
                            .toArray(TreeNode[]::new)));
        }
        world.begin("last", group(leaf("a"), leaf("b")));
        Worker worker = world.worker("p", "h");
        for (int steps = 0; worker.held.size() < 2; steps++) {
            assertThat(steps)
                    .as("steps, each of which looks at 64 tasks or more")
                    .isLessThan(20 * 999 / 64 + 2);
            worker.step(List.of(), 2 - worker.held.size());
        }
        assertThat(worker.held).extracting(TaskQueuesIT::name).containsExactlyInAnyOrder("a", "b");
        worker.step(worker.held.stream().map(claim -> passed(claim, "1")).toList(), 0);
        assertThat(world.state("last").over()).isTrue();
        // The function is served, withdrawn, and served again.
        Worker other = world.worker("p", "other");
        List<Claim> some = other.claim();
        assertThat(some).hasSize(64);
        other.step(some.stream().<Settlement>map(Settlement.Returned::new).toList(), 0);
        assertThat(world.worker("p", "h").claim()).isEmpty();
        world.work(world.worker("p", "other", "h"), claim -> Optional.of("1"));
        for (int tree = 0; tree < 20; tree++) {
            assertThat(world.state("t" + tree))
                    .returns(999L, TreeState::progress)
                    .returns(true, TreeState::over);
        }
    }

    @Test
    void taskThatWaitedInTheQueueOfALostWorkerWasNotLost() {
        TreeNode[] leaves = IntStream.range(0, 65).mapToObj(i -> leaf("n" + i)).toArray(TreeNode[]::new);
        world.begin("t", group(leaves));
        Worker dead = world.worker("p", "h");
        assertThat(dead.step(List.of(), 65).claims().getLast().place().isQueued())
                .isTrue();
        dead.die();
        List<Claim> again = world.worker("p", "h").step(List.of(), 65).claims();
        assertThat(again.subList(0, 64)).allMatch(claim -> claim.trial() == 2);
        assertThat(again.getLast().trial()).isEqualTo(1);
    }

    /** A task that was set aside waits for an earlier one that nobody has looked at yet. */
    @Test
    void ordersATaskThatWasSetAsideBehindAnEarlierOneThatCameBack() {
        TreeNode[] nodes = new TreeNode[72];
        Arrays.setAll(nodes, i -> i < 70 ? leaf("x" + i, "p", "other") : leaf(i == 70 ? "early" : "late"));
        world.begin("t", group(nodes));
        Worker all = world.worker("p", "h", "other");
        all.step(List.of(), 71);
        world.worker("p", "none").claim();
        all.step(
                all.held.stream()
                        .map(Settlement.Returned::new)
                        .map(Settlement.class::cast)
                        .toList(),
                0);
        Worker worker = world.worker("p", "h");
        assertThat(worker.step(List.of(), 1).claims()).isEmpty();
        assertThat(worker.step(List.of(), 1).claims())
                .extracting(TaskQueuesIT::name)
                .containsExactly("early");
        assertThat(worker.claimNames()).containsExactly("late");
    }

    @Test
    void suspendedNodeGivesNothingOutAndResumeLosesNone() {
        world.begin("t", group(leaf("a"), chain(leaf("b"), leaf("c"))));
        Worker worker = world.worker("p", "h");
        assertThat(world.trees.change("t.2", Trees.Change.SUSPEND)).isTrue();
        assertThat(world.trees.change("t.2", Trees.Change.SUSPEND)).isFalse();
        assertThat(worker.claimNames()).containsExactly("a");
        assertThat(world.trees.change("t", Trees.Change.SUSPEND)).isTrue();
        worker.step(List.of(new Settlement.Returned(worker.held.getFirst())), 0);
        assertThat(worker.claimNames()).isEmpty();
        world.trees.change("t", Trees.Change.RESUME);
        assertThat(worker.claimNames()).containsExactly("a");
        world.trees.change("t.2", Trees.Change.RESUME);
        assertThat(worker.claimNames()).containsExactly("b");
    }

    @Test
    void chainGoesOnInAnotherPool() {
        world.begin("t", chain(leaf("here"), leaf("there", "q", "h"), leaf("back")));
        Worker here = world.worker("p", "h");
        Worker there = world.worker("q", "h");
        here.step(List.of(passed(here.claim().getFirst(), "1")), 4);
        world.reaper.tick();
        assertThat(there.claim()).extracting(world::arguments).containsExactly("[\"there\",1]");
        there.step(List.of(passed(there.held.getFirst(), "2")), 4);
        world.reaper.tick();
        assertThat(here.claim()).extracting(world::arguments).containsExactly("[\"back\",2]");
    }

    @Test
    void treeOfAThousandNodesIsCreatedInPiecesAndRuns() {
        TreeNode[] all = IntStream.range(0, 999).mapToObj(i -> leaf("n" + i)).toArray(TreeNode[]::new);
        world.begin("t", group(all));
        assertThat(world.trees.create(TaskTree.of("t", group(all)))).isEqualTo(Trees.Created.KNOWN);
        world.work(world.worker("p", "h"), claim -> Optional.of("1"));
        assertThat(world.state("t")).returns(999L, TreeState::progress).returns(true, TreeState::over);
        assertThat(world.trees.drop("t", 1000)).isTrue();
        assertThat(world.nodes()).isZero();
        assertThat(world.trees.create(TaskTree.of("t", group(all)))).isEqualTo(Trees.Created.BURIED);
    }

    private static String name(Claim claim) {
        return claim.task().name();
    }

    @Test
    void stepReportsThatOnlyTasksOfOthersWait() {
        Worker other = world.worker("p", "other");
        assertThat(other.step(List.of(), 1).others()).isEmpty();
        world.begin("t", group(leaf("a"), leaf("b")));
        OptionalLong first = other.step(List.of(), 1).others();
        assertThat(first).isPresent();
        assertThat(other.step(List.of(), 1).others()).as("nothing came").isEqualTo(first);
        world.begin("u", leaf("c"));
        assertThat(other.step(List.of(), 1).others())
                .as("a task came")
                .isPresent()
                .isNotEqualTo(first);
        world.begin("v", leaf("d", "p", "other"));
        assertThat(other.step(List.of(), 1).others()).as("one for it").isEmpty();
        world.worker("p", "h").claim();
        assertThat(other.step(List.of(), 1).others()).as("all are taken").isEmpty();
    }

    @Test
    void commandsThatAStepLeavesMayBeRunAtOnce() {
        world.begin("t", chain(leaf("here"), leaf("there", "q", "h")));
        Worker here = world.worker("p", "h");
        StepCall.Outcome.Done done = here.step(List.of(passed(here.claim().getFirst(), "1")), 0);
        Runnable rest = done.rest().orElseThrow();
        rest.run();
        rest.run();
        assertThat(world.worker("q", "h").claimNames()).containsExactly("there");
    }

    @Test
    void namesTheRunningTasksThatAreToBeStopped() {
        world.begin("cancelled", group(leaf("a"), leaf("b")));
        world.begin("suspended", chain(leaf("c"), leaf("d")));
        world.begin("dropped", leaf("e"));
        world.begin("going", leaf("f"));
        world.begin("alone", leaf("g"));
        Worker worker = world.worker("p", "h");
        List<RunningTask> running =
                worker.claim().stream().map(claim -> running(claim.id(), 0, 0)).toList();
        assertThat(worker.source.attends()).isTrue();
        assertThat(worker.source.attend(running)).isEmpty();
        world.trees.change("cancelled", Trees.Change.CANCEL);
        world.trees.change("suspended", Trees.Change.SUSPEND);
        world.trees.drop("dropped", 1);
        world.trees.change("alone", Trees.Change.CANCEL);
        assertThat(worker.source.attend(running))
                .containsExactlyInAnyOrder("cancelled.1", "cancelled.2", "suspended.1", "dropped", "alone");
        world.trees.change("suspended", Trees.Change.RESUME);
        assertThat(worker.source.attend(List.of(running("suspended.1", 0, 0)))).isEmpty();
    }

    private static RunningTask running(String id, long done, long total) {
        return new RunningTask(id, done, total);
    }

    @Test
    void progressOfARunningTaskClimbs() {
        TreeNode heavy = new TreeNode.Leaf("p", Optional.of("h"), 2, 100, World.body("heavy", "h"));
        world.begin("t", chain(group(heavy, leaf("b")), leaf("c")));
        Worker worker = world.worker("p", "h");
        List<Claim> claims = worker.claim();
        String id = claims.getFirst().id();
        worker.source.attend(List.of(running(id, 3, 0)));
        assertThat(world.state("t").progress()).as("of an unknown whole").isZero();
        worker.source.attend(List.of(running(id, 41, 200)));
        assertThat(world.state("t").progress()).isEqualTo(20);
        worker.source.attend(List.of(running(id, 300, 200)));
        assertThat(world.state("t")).returns(100L, TreeState::progress).returns(102L, TreeState::total);
        worker.source.attend(List.of(running(id, 1, 10)));
        assertThat(world.state("t").progress()).as("begun anew").isEqualTo(10);
        worker.step(claims.stream().map(claim -> passed(claim, "1")).toList(), 0);
        assertThat(world.state("t").progress()).isEqualTo(101);
        worker.source.attend(List.of(running(id, 1, 10)));
        assertThat(world.state("t").progress()).as("late").isEqualTo(101);
    }
}
