package dev.quiver.lifecycle.wires.idoit;

import static dev.quiver.lifecycle.wires.idoit.IdoitWorld.arguments;
import static dev.quiver.lifecycle.wires.idoit.IdoitWorld.chain;
import static dev.quiver.lifecycle.wires.idoit.IdoitWorld.failed;
import static dev.quiver.lifecycle.wires.idoit.IdoitWorld.group;
import static dev.quiver.lifecycle.wires.idoit.IdoitWorld.iterator;
import static dev.quiver.lifecycle.wires.idoit.IdoitWorld.leaf;
import static dev.quiver.lifecycle.wires.idoit.IdoitWorld.leafIn;
import static dev.quiver.lifecycle.wires.idoit.IdoitWorld.passed;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.TaskResult;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees.Change;
import dev.quiver.lifecycle.wires.idoit.IdoitWorld.Worker;
import dev.quiver.lifecycle.worker.CallBudget;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Place;
import dev.quiver.lifecycle.worker.RunningTask;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.TrialFailure;

/** Tasks of the wire, worked at by Quiver alone. */
class IdoitQueuesIT {
    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private IdoitWorld world;

    @BeforeEach
    void begin() {
        world = new IdoitWorld(REDIS);
    }

    @AfterEach
    void end() {
        world.close();
    }

    @Test
    void runsATask() {
        world.begin("t", leaf("mul", 2, "\"é\""));
        Worker worker = world.worker("p", "mul");
        Claim claim = worker.claimOne();
        assertThat(arguments(claim)).isEqualTo("[2,\"é\"]");
        assertThat(world.state("t")).isEqualTo("\"locked\"");
        worker.pass(claim, "{ \"2\": 1.0 }");
        assertThat(world.task("t"))
                .containsEntry("state", "\"finished\"")
                .containsEntry("result", "{\"2\":1}")
                .containsEntry("progress", "1")
                .doesNotContainKeys("quiver_lock", "quiver_tries");
        assertThat(world.keys()).containsExactly(world.prefix + "finished", world.prefix + "t");
        assertThat(world.trees.measure("t", 100).json()).contains("{\"2\":1}");
    }

    /** For whoever sizes the pool. */
    @Test
    void countsItsTrialsAndTheirTime() {
        world.begin("a", leaf("mul", 2));
        world.begin("b", leaf("mul", 3));
        world.begin("c", leaf("mul", 4));
        Worker worker = world.worker("p", "mul");
        List<Claim> claims = worker.claim();
        worker.step(
                List.of(
                        new Settlement.Passed(claims.get(0), Duration.ofMillis(250), Optional.of(TaskResult.of("1"))),
                        new Settlement.Returned(claims.get(1), Optional.empty())),
                0);
        assertThat(new Lifecycle(world.store)
                        .waiting(world.keyspace)
                        .of(List.of("p"))
                        .get("p"))
                .singleElement()
                .satisfies(load -> {
                    assertThat(load.running()).isEqualTo(1);
                    assertThat(load.claimable()).isEqualTo(1);
                    assertThat(load.trials()).isEqualTo(1);
                    assertThat(load.runTime()).isEqualTo(Duration.ofMillis(250));
                    assertThat(load.sinceFirst()).isPresent();
                    assertThat(load.sinceProgress()).isPresent();
                });
    }

    @Test
    void passesTheResultsOfAChainAlong() {
        world.begin("t", chain(leaf("mul", 2), leafIn("q", "mul"), leaf("mul", 5)));
        Worker p = world.worker("p", "mul");
        Worker q = world.worker("q", "mul");
        p.pass(p.claimOne(), "0");
        Claim second = q.claimOne();
        assertThat(arguments(second))
                .as("idoit hands no result on that is falsy")
                .isEqualTo("[]");
        q.pass(second, "7");
        world.tick("p");
        Claim third = p.claimOne();
        assertThat(arguments(third)).isEqualTo("[5,7]");
        p.pass(third, "35");
        world.tick("p");
        assertThat(world.task("t"))
                .containsEntry("state", "\"finished\"")
                .containsEntry("result", "35")
                .containsEntry("progress", "3");
    }

    @Test
    void joinsAGroup() {
        world.begin("t", group(leaf("mul", 1), chain(leaf("mul", 2)), leaf("mul", 3)));
        Worker worker = world.worker("p", "mul");
        for (Claim claim : worker.claim()) {
            worker.pass(claim, arguments(claim).equals("[3]") ? "" : arguments(claim));
        }
        assertThat(world.task("t"))
                .containsEntry("state", "\"finished\"")
                .containsEntry("result", "[[1],[2],null]")
                .containsEntry("progress", "3");
        assertThat(world.trees.report("t", 32).orElseThrow().state().counts().finished())
                .isEqualTo(5);
    }

    @Test
    void failureEndsTheTreeAfterItsTrials() {
        world.begin("t", chain(leaf("mul", 1), group(leaf("mul", 2), leaf("mul", 3))));
        Worker worker = world.worker("p", "mul");
        worker.pass(worker.claimOne(), "1");
        List<Claim> both = worker.claim();
        assertThat(worker.step(List.of(failed(both.getFirst())), 0).verdicts())
                .containsExactly(StepCall.Verdict.RETRIED);
        String id = both.getFirst().id();
        assertThat(world.task(id)).containsEntry("state", "\"restart\"").containsEntry("retries", "1");
        world.hurry("restart");
        world.tick("p");
        worker.step(List.of(failed(worker.claimOne())), 0);
        assertThat(world.task(id).get("error")).isEqualTo("{\"name\":\"Error\",\"message\":\"no\",\"code\":3}");
        assertThat(world.task("t").get("error")).isEqualTo(world.task(id).get("error"));
        assertThat(world.task(both.getLast().id()).get("error")).contains("CANCELED");
        assertThat(worker.step(List.of(passed(both.getLast(), "9")), 0).verdicts())
                .as("its tree is over")
                .containsExactly(StepCall.Verdict.VOID);
        var report = world.trees.report("t", 32).orElseThrow();
        assertThat(report.state().state()).isEqualTo(TreeState.State.FAILED);
        assertThat(report.failure().orElseThrow().name()).isEqualTo("mul-node");
        assertThat(report.nodes()).extracting(node -> node.state()).startsWith(TreeState.State.FAILED);
    }

    @Test
    void callsAnIteratorUntilItHasNoMore() {
        world.begin("t", iterator("walk", "\"dir\""));
        Worker worker = world.worker("p", "walk", "mul");
        Claim call = worker.claimOne();
        assertThat(arguments(call))
                .isEqualTo("[{\"state\":null,\"created\":0,\"finished\":0,\"room\":1000,\"args\":[\"dir\"]}]");
        worker.pass(
                call,
                "{\"state\":{\"at\":2.0},\"tasks\":[{\"handler\":\"mul\",\"args\":[1]},"
                        + "{\"chain\":[{\"handler\":\"mul\",\"args\":[2]},{\"handler\":\"mul\"}]}]}");
        assertThat(world.task("t"))
                .containsEntry("children_created", "2")
                .containsEntry("user_data", "{\"state\":{\"at\":2}}");
        int calls = 0;
        for (List<Claim> claims = worker.claim(); !claims.isEmpty(); claims = worker.claim()) {
            for (Claim claim : claims) {
                boolean iterates = ((IdoitTask) claim.task()).iterator();
                calls += iterates ? 1 : 0;
                worker.pass(claim, iterates ? "null" : "8");
            }
        }
        assertThat(calls).isBetween(1, 2);
        assertThat(world.task("t"))
                .containsEntry("state", "\"finished\"")
                .containsEntry("children_finished", "2")
                .containsEntry("progress", "1");
        assertThat(world.keys())
                .filteredOn(key -> key.contains("commands") || key.contains("ichunks"))
                .isEmpty();
    }

    @Test
    void senselessAnswerEndsTheIterator() {
        world.begin("t", chain(iterator("walk")));
        Worker worker = world.worker("p", "walk");
        worker.pass(worker.claimOne(), "{\"state\":null,\"tasks\":[]}");
        assertThat(world.task("t").get("error"))
                .contains("Iterator error: terminating task because bad \\\"iterate\\\" result");
    }

    @Test
    void cancelsATree() {
        world.begin("t", chain(group(leaf("mul", 1), leafIn("q", "mul", 2)), leaf("mul", 3)));
        Worker worker = world.worker("p", "mul");
        Claim claim = worker.claimOne();
        assertThat(world.trees.change("t.1", Change.CANCEL)).as("no root").isFalse();
        assertThat(world.trees.change("t", Change.CANCEL)).isTrue();
        assertThat(world.trees.change("t", Change.CANCEL)).as("again").isFalse();
        assertThat(worker.source.attend(List.of())).isEmpty();
        assertThat(worker.step(List.of(passed(claim, "1")), 0).verdicts()).containsExactly(StepCall.Verdict.VOID);
        for (String id : List.of("t", "t.1", "t.2", "t.3", "t.4")) {
            assertThat(world.task(id).get("error"))
                    .as(id)
                    .isEqualTo("{\"code\":\"CANCELED\",\"name\":\"Error\",\"message\":\"idoit error: task canceled\"}");
        }
        world.tick("p");
        world.tick("q");
        assertThat(world.keys())
                .filteredOn(key -> key.contains("startable") || key.contains("commands"))
                .isEmpty();
        world.trees.drop("t", 4);
        assertThat(world.keys()).isEmpty();
        assertThat(world.trees.create(TaskTree.of("t", leaf("mul"))).name()).isEqualTo("BURIED");
    }

    @Test
    void deadWorkersTasksRunAgain() {
        world.begin("t", chain(leaf("mul", 1), iterator("walk")));
        Worker first = world.worker("p", "mul", "walk");
        Claim claim = first.claimOne();
        first.die();
        Worker second = world.worker("p", "mul", "walk");
        Claim again = second.claimOne();
        assertThat(again.trial()).isEqualTo(2);
        second.pass(again, "1");
        Claim call = second.claimOne();
        second.die();
        Worker third = world.worker("p", "mul", "walk");
        third.pass(third.claimOne(), "null");
        assertThat(world.state("t")).isEqualTo("\"finished\"");
        assertThat(call.id()).isEqualTo("t.2");
        assertThat(claim.id()).isEqualTo("t.1");
    }

    @Test
    void lockThatLapsedCountsNothing() {
        world.begin("t", leaf("mul", 1));
        Worker slow = world.worker("p", "mul");
        Claim claim = slow.claimOne();
        world.hurry("locked"); // npm's watchdog would do the same as this pool's tick
        world.tick("p");
        assertThat(world.state("t")).isEqualTo("\"startable\"");
        Worker quick = world.worker("p", "mul");
        Claim other = quick.claimOne();
        assertThat(slow.step(List.of(passed(claim, "1")), 0).verdicts()).containsExactly(StepCall.Verdict.VOID);
        quick.pass(other, "2");
        assertThat(world.task("t")).containsEntry("result", "2");
    }

    @Test
    void taskThatLosesItsWorkersEnds() {
        world.begin("t", chain(leaf("mul")));
        Worker worker = world.worker("p", "mul");
        for (int i = 0; i < 5; i++) {
            worker.step(List.of(new Settlement.Lost(worker.claimOne(), lost())), 0);
        }
        assertThat(worker.claim()).isEmpty();
        worker.step(List.of(), 0);
        assertThat(world.task("t").get("error")).contains("WorkerLost");
    }

    private static TrialFailure lost() {
        return TrialFailure.of("mul", 1, Optional.empty(), Optional.empty(), "WorkerLost", "gone");
    }

    @Test
    void repeatedStepGivesTheSameAnswer() {
        world.begin("t", group(leaf("mul", 1), leaf("mul", 2)));
        Worker worker = world.worker("p", "mul");
        worker.step(List.of(), 0);
        world.tick("p");
        var request = new StepRequest(List.of(), List.of(Place.slot(0, 1)), List.of("mul"));
        StepCall call = worker.source.prepare(request);
        var done = (StepCall.Outcome.Done) call.run();
        assertThat(done.claims()).hasSize(1);
        assertThat(((StepCall.Outcome.Done) call.run()).claims()).isEqualTo(done.claims());
    }

    @Test
    void leavesOthersTypesAlone() {
        world.begin("t", group(leaf("theirs"), iterator("their-walk")));
        Worker worker = world.worker("p", "mul");
        world.tick("p");
        StepCall.Outcome.Done done = worker.step(List.of(), 8);
        assertThat(done.claims()).isEmpty();
        assertThat(done.others()).isPresent();
        List<String> left = world.store.ask(redis -> redis.zrange(world.prefix + "p:commands", 0, -1));
        assertThat(left).singleElement().asString().contains("iterate");
        assertThat(world.worker("p", "theirs", "their-walk").claim()).hasSize(2);
    }

    @Test
    void deadlineEndsATree() {
        world.trees.create(new TaskTree(
                "t",
                leaf("mul"),
                Optional.empty(),
                true,
                Optional.of(Duration.ofHours(1)),
                Duration.ZERO,
                Optional.empty()));
        assertThat(world.trees.limit("t", Optional.of(Duration.ZERO))).isTrue();
        world.tick("p");
        assertThat(world.task("t").get("error")).contains("DeadlineExceeded");
    }

    @Test
    void forgetsWhatIsOver() {
        world.begin("t", group(leaf("mul"), leaf("mul")));
        Worker worker = world.worker("p", "mul");
        worker.claim().forEach(claim -> worker.pass(claim, "1"));
        Map<String, String> root = world.task("t");
        assertThat(root).containsEntry("state", "\"finished\"");
        world.hurry("finished");
        world.tick("p");
        assertThat(world.keys()).isEmpty();
    }

    @Test
    void withoutAGrantNothingRuns() {
        world.begin("t", leaf("mul"));
        Worker worker = world.worker("p", "mul");
        Claim claim = worker.claimOne();
        world.grants.revoke("p");
        assertThat(worker.session.source(IdoitQueues.source("p"))).isEmpty();
        StepRequest request = new StepRequest(List.of(passed(claim, "1")), List.of(), List.of("mul"));
        assertThat(worker.source.prepare(request).run()).isInstanceOf(StepCall.Outcome.Gone.class);
        assertThat(world.state("t")).as("its lock lapses").isEqualTo("\"locked\"");
        world.grants.grant("p", world.prefix, List.of());
        world.hurry("locked");
        world.tick("p");
        assertThat(world.worker("p", "mul").claim()).hasSize(1);
    }

    @Test
    void iteratorWithoutRoomIsNotCalled() {
        world.begin("t", iterator("walk"));
        Worker worker = world.worker("p", "walk");
        world.store.ask(redis -> redis.hset(world.prefix + "t", Map.of("children_created", "1000")));
        assertThat(worker.claim()).isEmpty();
        assertThat(world.keys()).filteredOn(key -> key.contains("commands")).isEmpty();
        world.store.ask(redis -> redis.hset(world.prefix + "t", "children_finished", "1"));
        String again =
                "{\"to\":\"t\",\"to_uid\":" + world.task("t").get("uid") + ",\"type\":\"iterate\",\"rnd\":\"r\"}";
        world.store.ask(redis -> redis.zadd(world.prefix + "p:commands", 1, again));
        assertThat(arguments(worker.claimOne())).contains("\"room\":1,");
    }

    @Test
    void oddKeysHarmNoOtherTask() {
        world.begin("t", leaf("mul"));
        world.store.ask(redis -> redis.sadd(world.prefix + "p:startable", "waiting", "gone", "p:startable"));
        world.store.ask(redis -> redis.zadd(world.prefix + "locked", 1, "waiting"));
        world.store.ask(redis -> redis.hset(world.prefix + "odd", Map.of("name", "\"mul\"", "state", "\"startable\"")));
        world.store.ask(redis -> redis.sadd(world.prefix + "p:startable", "odd"));
        Worker worker = world.worker("p", "mul");
        world.tick("p");
        Claim claim = worker.claimOne();
        world.reaper.tick();
        worker.pass(claim, "1");
        assertThat(world.state("t")).isEqualTo("\"finished\"");
        assertThat(world.store.<Long>ask(redis -> redis.exists(world.prefix + "p:startable", world.prefix + "locked")))
                .isZero();
    }

    @Test
    void childrenThatNameEachOtherEndNoWalk() {
        world.begin("t", group(leaf("mul"), leaf("mul")));
        String both = "[\"t\",\"t.1\",\"t.1\",\"t.2\",\"t.2\",null,7]";
        for (String id : List.of("t", "t.1", "t.2")) {
            Map<String, String> fields = Map.of("children", both, "children_finished", "0");
            world.store.ask(redis -> redis.hset(world.prefix + id, fields));
        }
        assertThat(world.trees.report("t", 10).orElseThrow().nodes()).hasSize(3);
        assertThat(world.trees.change("t", Change.CANCEL)).isTrue();
        assertThat(world.state("t.2")).isEqualTo("\"finished\"");
        world.trees.drop("t", 2);
        assertThat(world.keys()).filteredOn(key -> !key.endsWith(":commands")).isEmpty();
    }

    @Test
    void iteratorThatLosesItsWorkersEnds() {
        world.begin("t", iterator("walk"));
        for (int i = 0; i < 5; i++) {
            Worker worker = world.worker("p", "walk");
            worker.claimOne();
            worker.die();
        }
        assertThat(world.worker("p", "walk").claim()).isEmpty();
        assertThat(world.task("t").get("error")).contains("WorkerLost");
    }

    @Test
    void claimWhoseTaskWentMeanwhileCountsNothing() {
        world.begin("t", leaf("mul"));
        Worker worker = world.worker("p", "mul");
        worker.step(List.of(), 0);
        assertThat(worker.step(List.of(), 8).claims()).hasSize(1);
        world.trees.drop("t", 0);
        Worker next = world.worker("p", "mul");
        assertThat(next.step(List.of(), 8).claims()).isEmpty();
        assertThat(worker.step(List.of(passed(worker.held.getFirst(), "1")), 8).verdicts())
                .containsExactly(StepCall.Verdict.VOID);
    }

    @Test
    void changedPrefixEndsWorkUnderTheEarlierOne() {
        world.begin("t", leaf("mul"));
        Worker worker = world.worker("p", "mul");
        Claim claim = worker.claimOne();
        world.grants.grant("p", "other" + world.prefix, List.of());
        assertThat(worker.source.attend(List.of(new RunningTask(claim.id(), 0, 1))))
                .containsExactly(claim.id());
        StepRequest request = new StepRequest(List.of(), List.of(Place.slot(0, 1)), List.of("mul"));
        assertThat(worker.source.prepare(request).run()).isInstanceOf(StepCall.Outcome.Gone.class);
    }

    @Test
    void deadlineOfATreeWhoseRootRunsElsewhereIsKept() {
        world.trees.create(new TaskTree(
                "t",
                leafIn("npm", "mul"),
                Optional.empty(),
                true,
                Optional.of(Duration.ZERO),
                Duration.ZERO,
                Optional.empty()));
        world.tick("q");
        assertThat(world.task("t").get("error")).contains("DeadlineExceeded");
    }

    @Test
    void groupOfManyChildrenEndsOnceAllHaveEnded() {
        TreeNode[] many = IntStream.range(0, 3000).mapToObj(i -> leaf("mul", i)).toArray(TreeNode[]::new);
        world.begin("t", chain(group(many), leaf("mul")));
        Worker worker = world.worker("p", "mul");
        int ran = 0;
        while (world.state("t.1").equals("\"idle\"") || ran == 0) {
            List<Claim> claims = worker.claim();
            ran += claims.size();
            worker.step(claims.stream().map(claim -> passed(claim, "1")).toList(), 0);
            world.tick("p");
        }
        assertThat(ran).isEqualTo(3000);
        assertThat(world.task("t.1").get("result")).hasSize(6001);
    }

    @Test
    void upkeepWithWiderRightsTakesOnlyAGrantedPrefixAndRunsNoCommands() {
        world.begin("t", chain(leaf("mul")));
        world.begin("u", leaf("mul"));
        world.hurry("p:commands");
        world.store.ask(redis -> redis.zadd(world.prefix + "locked", 1, "u"));
        String source = IdoitQueues.source("p");
        IdoitQueues.ofUpkeep(world.store, world.keyspace, _ -> false).promote(source, new CallBudget(10));
        assertThat(world.state("u")).isEqualTo("\"waiting\"");
        IdoitQueues.ofUpkeep(world.store, world.keyspace, world.prefix::equals).promote(source, new CallBudget(10));
        assertThat(world.state("u")).isEqualTo("\"startable\"");
        assertThat(world.state("t")).as("its command is left to workers").isEqualTo("\"waiting\"");
    }

    @Test
    void sourceThatRedisRefusesKeepsNoDeadSessionsTasks() {
        world.begin("t", leaf("mul"));
        Worker dead = world.worker("p", "mul");
        dead.claimOne();
        world.store.ask(redis -> redis.set(world.keyspace.prefix() + "idoit:deadlines", "no sorted set"));
        world.store.ask(redis -> redis.zadd(world.keyspace.delayed(), 0, IdoitQueues.source("p")));
        dead.die();
        assertThat(world.state("t")).isEqualTo("\"startable\"");
    }
}
