package dev.quiver.lifecycle.task.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.NodeError;
import dev.quiver.lifecycle.task.model.OnceName;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;
import dev.quiver.lifecycle.task.model.TreeState;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.producer.Submission;
import dev.quiver.lifecycle.task.producer.TaskProducer;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;

/** Tasks that plans put before their own: these wait for them, lend them their priority, and fail with them. */
class PrecedingTasksIT {

    private static final String ONE = "{\"before\":[{\"handler\":\"first\",\"maxTrials\":1,\"args\":[1]}]}";
    private static final String NAMED =
            "{\"before\":[{\"handler\":\"first\",\"maxTrials\":1,\"once\":{\"name\":\"folder\"}}]}";

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;
    private World.Worker worker;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        worker = worker();
    }

    private World.Worker worker() {
        return world.worker("p", "h", "h#plan", "first", "first#plan", "other");
    }

    @AfterEach
    void end() {
        world.close();
    }

    private static TreeNode planned(String name, Rank rank) {
        return new TreeNode.Leaf(
                "p", Optional.of("h"), 1, 1, rank, World.body(name, "h").planned(TaskBody.PLAN_SECONDS));
    }

    private void make(String id) {
        world.begin(id, planned(id, Rank.NONE));
    }

    private List<String> claim() {
        return names(worker.step(List.of(), 64).claims());
    }

    private static List<String> names(List<Claim> claims) {
        return claims.stream()
                .map(claim -> claim.task().name() + " " + claim.task().handler().orElse(""))
                .toList();
    }

    /** The claim of a function's name, or of a task's. */
    private Claim held(String name) {
        return worker.held.stream()
                .filter(claim -> claim.task().handler().orElse("").equals(name)
                        || claim.id().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Settles it, runs what that leaves, and claims. */
    private List<String> settle(Settlement settlement) {
        StepCall.Outcome.Done done = worker.step(List.of(settlement), 64);
        List<String> names = new ArrayList<>(names(done.claims()));
        done.rest().ifPresent(Runnable::run);
        world.tick();
        names.addAll(claim());
        return names;
    }

    private List<String> plan(String json) {
        return settle(World.brought(held("h#plan"), json));
    }

    private List<String> pass(String handler) {
        return settle(World.passed(held(handler), "1"));
    }

    private NodeError error(String id) {
        return world.state(id).error().orElseThrow();
    }

    private String note(String id) {
        return world.trees.report(id, 1).orElseThrow().nodes().getFirst().note();
    }

    private long waiting() {
        return world.store.ask(redis -> redis.zcard(world.keyspace.prefix() + "task:children"));
    }

    @Test
    void aTaskIsExecutedWhenWhatItsPlanPutBeforeItHasPassed() {
        make("t");
        claim();
        assertThat(
                        plan(
                                "{\"args\":[7],\"before\":[{\"handler\":\"first\",\"maxTrials\":1},{\"handler\":\"other\",\"maxTrials\":1}]}"))
                .containsExactly("first first", "other other");
        assertThat(note("t")).isEqualTo("waits for 2 tasks that its plan put before it");
        assertThat(pass("first")).isEmpty();
        assertThat(note("t")).isEqualTo("waits for 1 task that its plan put before it");
        assertThat(pass("other")).containsExactly("t h");
        assertThat(note("t")).isEmpty();
        assertThat(world.arguments(held("h"))).as("the plan's").isEqualTo("[7]");
        assertThat(held("h").trial()).as("no trial was used").isEqualTo(1);
        pass("h");
        assertThat(world.trees.result("t", 1000)).isEqualTo("1");
        assertThat(waiting()).isZero();
        assertThat(world.nodes()).isEqualTo(1);
    }

    @Test
    void aTaskFailsWithWhatWasPutBeforeIt() {
        make("t");
        claim();
        plan("{\"before\":[{\"handler\":\"first\",\"maxTrials\":1},{\"handler\":\"other\",\"maxTrials\":1}]}");
        assertThat(settle(World.failed(held("first")))).isEmpty();
        assertThat(error("t").reason()).isEqualTo("DependencyFailed");
        assertThat(error("t").message()).isEqualTo("first, which the plan put before the task, has failed: Error: no");
        assertThat(pass("other")).as("it goes on, and nobody waits for it").isEmpty();
        assertThat(waiting()).isZero();
        assertThat(world.nodes()).isEqualTo(1);
    }

    @Test
    void aTreeMayStandBeforeATask() {
        make("t");
        claim();
        assertThat(
                        plan(
                                "{\"before\":[{\"chain\":[{\"handler\":\"first\",\"maxTrials\":1},{\"handler\":\"other\",\"maxTrials\":1}]}]}"))
                .containsExactly("first first");
        assertThat(pass("first")).containsExactly("other other");
        assertThat(settle(World.failed(held("other")))).isEmpty();
        assertThat(error("t").message()).startsWith("a chain, which the plan put before the task, has failed: Error: ");
    }

    @Test
    void whatFailsAtOnceFailsTheTask() {
        make("t");
        claim();
        plan("{\"before\":[{\"forEach\":{\"handler\":\"first\",\"maxTrials\":1}}]}");
        assertThat(error("t").message())
                .isEqualTo("a forEach, which the plan put before the task, has failed: InputInvalid: forEach has no"
                        + " result before it");
    }

    @Test
    void severalTasksWaitForTheOneThatHasAName() {
        make("a");
        make("b");
        claim();
        assertThat(plan(NAMED)).containsExactly("first first");
        assertThat(plan(NAMED)).as("it is there already").isEmpty();
        assertThat(pass("first")).containsExactlyInAnyOrder("a h", "b h");
        assertThat(waiting()).isZero();
    }

    @Test
    void severalTasksFailWithTheOneThatHasAName() {
        make("a");
        make("b");
        claim();
        plan(NAMED);
        plan(NAMED);
        settle(World.failed(held("first")));
        assertThat(List.of(error("a").reason(), error("b").reason()))
                .containsExactly("DependencyFailed", "DependencyFailed");
    }

    @Test
    void manyTasksWaitForOne() {
        int many = 600;
        for (int i = 0; i < many; i++) {
            make("t" + i);
        }
        for (int done = 0; done < many; done += 50) {
            List<Claim> plans = List.copyOf(worker.step(List.of(), 50).claims());
            worker.step(plans.stream().map(claim -> World.brought(claim, NAMED)).toList(), 0);
        }
        claim();
        List<String> names = new ArrayList<>(pass("first"));
        for (int i = 0; i < 20 && names.size() < many; i++) {
            world.tick();
            names.addAll(claim());
        }
        assertThat(names).hasSize(many).doesNotHaveDuplicates();
    }

    /** As when a folder is to be made for many drafts, and its plan finds that the list of folders is being read. */
    @Test
    void aTaskForWhichManyWaitMayWaitForOneThatDoesNot() {
        submit("x", "folder", planned("x", Rank.NONE));
        submit("list", "list", World.leaf("list", "p", "other"));
        awaitedBy(1_100);
        assertThat(settle(World.brought(held("x"), "{\"before\":[" + task("first", "list") + "]}")))
                .isEmpty();
        assertThat(note("x")).isEqualTo("waits for 1 task that its plan put before it");
        assertThat(pass("other")).containsExactly("x h");
    }

    @Test
    void noMoreIsLookedAtThanAThousand() {
        submit("x", "folder", planned("x", Rank.NONE));
        submit("list", "list", planned("list", Rank.NONE));
        awaitedBy(1_100);
        settle(World.brought(held("list"), ONE));
        for (int i = 0; i < 3; i++) {
            settle(World.brought(held("x"), "{\"before\":[" + task("first", "list") + "]}"));
        }
        assertThat(error("x").message())
                .isEqualTo("too many tasks wait for it, so that it cannot be put behind one that waits, too: before it"
                        + " is to be list, a name that another task has");
    }

    /** So many tasks wait for the one that is named as the folder. */
    private void awaitedBy(int many) {
        claim();
        for (int i = 0; i < many; i++) {
            make("t" + i);
        }
        for (int done = 0; done < many; done += 50) {
            List<Claim> plans = List.copyOf(worker.step(List.of(), 50).claims());
            worker.step(plans.stream().map(claim -> World.brought(claim, NAMED)).toList(), 0);
        }
        assertThat(waiting()).isEqualTo(many);
    }

    private static String task(String handler, String name) {
        return "{\"handler\":\"" + handler + "\",\"once\":{\"name\":\"" + name + "\"}}";
    }

    private void submit(String id, String name, TreeNode root) {
        submit(id, name, root, Duration.ofHours(1));
    }

    private void submit(String id, String name, TreeNode root, Duration keep) {
        new TaskProducer(world.store, world.keyspace, () -> {})
                .submit(
                        Submission.named(
                                new TaskTree(
                                        id,
                                        root,
                                        Optional.empty(),
                                        false,
                                        Optional.empty(),
                                        Duration.ZERO,
                                        Optional.of(keep)),
                                new OnceName(name, OnceName.Only.WHILE_IT_GOES_ON)),
                        Duration.ofSeconds(60));
    }

    private void refused(String id, String handler, String json, String words) {
        settle(World.brought(held(handler), json));
        for (int i = 0; i < 2; i++) {
            settle(World.brought(held(handler), json));
        }
        assertThat(error(id).message()).contains(words);
    }

    @Test
    void aTaskDoesNotWaitForItself() {
        submit("t", "mine", planned("t", Rank.NONE));
        claim();
        refused(
                "t",
                "h#plan",
                "{\"before\":[{\"handler\":\"first\",\"maxTrials\":1,\"once\":{\"name\":\"mine\"}}]}",
                "the task would wait for itself: before it is to be mine, a name that another task has");
    }

    @Test
    void tasksDoNotWaitForEachOther() {
        submit("t", "mine", planned("t", Rank.NONE));
        claim();
        assertThat(
                        plan(
                                "{\"before\":[{\"handler\":\"first\",\"maxTrials\":1,\"plan\":true,\"once\":{\"name\":\"second\"}}]}"))
                .containsExactly("first first#plan");
        assertThat(
                        settle(
                                World.brought(
                                        held("first#plan"),
                                        "{\"before\":[{\"handler\":\"first\",\"maxTrials\":1,\"plan\":true,\"once\":{\"name\":\"third\"}}]}")))
                .containsExactly("first first#plan");
        String third = held("first#plan").id();
        for (int i = 0; i < 3; i++) {
            settle(World.brought(
                    held("first#plan"),
                    "{\"before\":[{\"handler\":\"other\",\"maxTrials\":1,\"once\":{\"name\":\"mine\"}}]}"));
        }
        assertThat(worker.held).extracting(Claim::id).doesNotContain(third);
        assertThat(error("t").message())
                .contains("DependencyFailed: first, which the plan put before the task, has failed: AnswerInvalid")
                .contains("the task would wait for itself");
    }

    @Test
    void twoOfOneNameAreRefused() {
        make("t");
        claim();
        refused(
                "t",
                "h#plan",
                "{\"before\":[{\"handler\":\"first\",\"maxTrials\":1,\"once\":{\"name\":\"a\"}},{\"handler\":\"other\",\"maxTrials\":1,\"once\":{\"name\":\"a\"}}]}",
                "two of the tasks before it have one name");
        assertThat(world.nodes()).as("none was made").isEqualTo(1);
    }

    private void rank(String id, int priority) {
        world.begin(
                id,
                new TreeNode.Leaf(
                        "p",
                        Optional.of("h"),
                        1,
                        1,
                        new Rank(priority, List.of(), Optional.empty()),
                        World.body(id, "h")));
    }

    @Test
    void whatStandsBeforeATaskIsLentItsPriority() {
        world.begin("t", planned("t", new Rank(9, List.of(), Optional.empty())));
        rank("mean", 5);
        worker.step(List.of(), 1);
        assertThat(names(worker.step(List.of(World.brought(held("h#plan"), ONE)), 1)
                        .claims()))
                .containsExactly("first first");
    }

    @Test
    void whatIsThereAlreadyIsLentThePriority() {
        make("a");
        worker.step(List.of(), 1);
        worker.step(List.of(World.brought(held("h#plan"), NAMED)), 0);
        rank("mean", 5);
        world.begin("t", planned("t", new Rank(9, List.of(), Optional.empty())));
        worker.step(List.of(), 1);
        StepCall.Outcome.Done done = worker.step(List.of(World.brought(held("h#plan"), NAMED)), 0);
        done.rest().ifPresent(Runnable::run);
        world.tick();
        assertThat(names(worker.step(List.of(), 1).claims())).containsExactly("first first");
    }

    @Test
    void copiesThatAreThereAlreadyAreLentThePriority() {
        submit(
                "x",
                "folder",
                World.chain(World.leaf("list", "p", "other"), World.each(World.leaf("each", "p", "first"), 0)));
        claim();
        worker.step(List.of(World.passed(held("other"), "[1,2]")), 0);
        rank("mean", 5);
        world.begin("t", planned("t", new Rank(9, List.of(), Optional.empty())));
        worker.step(List.of(), 1);
        StepCall.Outcome.Done done = worker.step(List.of(World.brought(held("h#plan"), NAMED)), 0);
        done.rest().ifPresent(Runnable::run);
        world.tick();
        world.tick();
        assertThat(names(worker.step(List.of(), 2).claims())).containsExactly("each first", "each first");
    }

    @Test
    void thePriorityIsLentOnce() {
        for (String id : List.of("a", "b")) {
            world.begin(id, planned(id, new Rank(9, List.of("mine"), Optional.empty())));
        }
        worker.step(List.of(), 2);
        worker.step(List.of(World.brought(held("a"), NAMED)), 0);
        StepCall.Outcome.Done done = worker.step(List.of(World.brought(held("b"), NAMED)), 0);
        done.rest().ifPresent(Runnable::run);
        world.tick();
        worker.step(List.of(), 1);
        String record = record(held("first").id());
        assertThat(record).contains("\t0\u001f\u001f9\u001emine\t");
    }

    @Test
    void whatStandsBeforeATaskMayBeOfAnotherPool() {
        make("t");
        claim();
        plan("{\"before\":[{\"handler\":\"far\",\"pool\":\"q\"}]}");
        World.Worker far = world.worker("q", "far");
        Claim claim = far.claim().getFirst();
        StepCall.Outcome.Done done = far.step(List.of(World.passed(claim, "1")), 0);
        done.rest().ifPresent(Runnable::run);
        world.tick();
        assertThat(claim()).containsExactly("t h");
    }

    @Test
    void aRepeatOfTheStepMakesEachOnce() {
        make("t");
        claim();
        StepCall call = worker.source.prepare(worker.request(List.of(World.brought(held("h#plan"), ONE)), 5));
        StepCall.Outcome.Done done = (StepCall.Outcome.Done) call.run();
        assertThat(names(done.claims())).containsExactly("first first");
        assertThat(names(((StepCall.Outcome.Done) call.run()).claims())).containsExactly("first first");
        assertThat(world.nodes()).isEqualTo(2);
    }

    @Test
    void aTaskThatIsCancelledMeanwhileStaysSo() {
        make("t");
        claim();
        plan(ONE);
        world.trees.change("t", Trees.Change.CANCEL);
        assertThat(pass("first")).isEmpty();
        assertThat(error("t").reason()).isEqualTo("Cancelled");
        assertThat(waiting()).isZero();
    }

    @Test
    void aTaskThatIsSuspendedMeanwhileWaitsForItsResume() {
        make("t");
        claim();
        plan(ONE);
        world.trees.change("t", Trees.Change.SUSPEND);
        assertThat(pass("first")).isEmpty();
        world.trees.change("t", Trees.Change.RESUME);
        world.tick();
        assertThat(claim()).containsExactly("t h");
    }

    @Test
    void aTaskWhoseFirstIsLostWaitsForItsNextTrial() {
        make("t");
        claim();
        plan(ONE);
        worker.die();
        worker = worker();
        assertThat(claim()).containsExactly("first first");
        assertThat(pass("first")).containsExactly("t h");
    }

    @Test
    void aNodeOfATreeWaitsAndTheTreeGoesOn() {
        world.begin("t", World.chain(planned("one", Rank.NONE), World.leaf("two")));
        claim();
        plan(ONE);
        assertThat(pass("first")).containsExactly("one h");
        assertThat(pass("h")).containsExactly("two h");
    }

    /** A retry comes behind the wait, and the count is over. */
    @Test
    void aTrialThatFailsBehindTheWaitIsTriedAgain() {
        world.begin(
                "t",
                new TreeNode.Leaf(
                        "p",
                        Optional.of("h"),
                        2,
                        1,
                        Rank.NONE,
                        World.body("t", "h").planned(5)));
        claim();
        plan(ONE);
        pass("first");
        assertThat(settle(World.failed(held("h")))).containsExactly("t h");
        pass("h");
        assertThat(world.state("t").state()).isEqualTo(TreeState.State.FINISHED);
    }

    @Test
    void nothingIsMadeWhileTheMemoryOfRedisIsUsedUp() {
        make("t");
        claim();
        world.store.ask(redis -> redis.configSet("maxmemory", "1"));
        try {
            worker.step(List.of(World.brought(held("h#plan"), ONE)), 0);
        } finally {
            world.store.ask(redis -> redis.configSet("maxmemory", "0"));
        }
        assertThat(world.nodes()).isEqualTo(1);
        assertThat(note("t")).isEmpty();
    }

    /** The name is free with the end, though the step has not written it. */
    @Test
    void aTaskDoesNotWaitForOneThatPassedEarlierInItsStep() {
        submit("x", "folder", World.leaf("x", "p", "other"), Duration.ZERO);
        make("t");
        claim();
        assertThat(names(worker.step(
                                List.of(World.passed(held("other"), "1"), World.brought(held("h#plan"), NAMED)), 64)
                        .claims()))
                .containsExactly("first first");
        assertThat(pass("first")).containsExactly("t h");
    }

    @Test
    void aNodeThatEndedWaitsForNothingMore() {
        submit(
                "tree",
                "tree",
                World.group(OnChildError.CONTINUE, List.of(planned("a", Rank.NONE), planned("b", Rank.NONE))));
        claim();
        settle(World.brought(held("tree.1"), "{\"before\":[{\"handler\":\"first\",\"plan\":true,\"maxTrials\":1}]}"));
        settle(World.brought(held("tree.2"), "{\"before\":[{\"handler\":\"nobody\"}]}"));
        world.trees.change("tree.1", Trees.Change.CANCEL);
        String first = held("first#plan").id();
        settle(World.brought(held("first#plan"), "{\"before\":[" + task("other", "tree") + "]}"));
        assertThat(record(first)).as("no circle, it waits").contains("\tb1\t");
    }

    @Test
    void aPlanThatJoinsManyLooksOnce() {
        submit("x", "folder", planned("x", Rank.NONE));
        awaitedBy(500);
        List<String> joined = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            submit("n" + i, "n" + i, planned("n" + i, Rank.NONE));
            joined.add(task("first", "n" + i));
        }
        claim();
        for (int i = 0; i < 60; i++) {
            worker.step(List.of(World.brought(held("n" + i), "{\"before\":[{\"handler\":\"nobody\"}]}")), 0);
        }
        long begun = calls();
        worker.step(List.of(World.brought(held("x"), "{\"before\":" + joined + "}")), 0);
        assertThat(note("x")).startsWith("waits for 60 tasks");
        assertThat(calls() - begun).as("looks at tasks that wait").isLessThan(600);
    }

    /** Calls of the command that looks at who waits. */
    private long calls() {
        String stats = world.store.ask(redis -> redis.info("commandstats"));
        return stats.lines()
                .filter(line -> line.startsWith("cmdstat_zrangebylex:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*calls=(\\d+),.*", "$1")))
                .sum();
    }

    private String record(String id) {
        return world.store.ask(redis -> redis.hget(world.keys.nodes(), id));
    }

    @Test
    void whatIsDroppedFailsWhoWaits() {
        submit("x", "folder", World.leaf("x", "q", "far"));
        make("t");
        claim();
        plan(NAMED);
        assertThat(note("t")).isNotEmpty();
        world.trees.drop("x", 1);
        world.tick();
        assertThat(error("t").message())
                .isEqualTo("far, which the plan put before the task, has failed: Dropped: it is there no more");
    }

    @Test
    void whatStandsBeforeATaskSharesItsTurns() {
        world.begin("t", planned("t", new Rank(0, List.of(), Optional.of("acme"))));
        claim();
        plan(ONE);
        String record = record(held("first").id());
        assertThat(record).contains("\tacme\t");
    }

    @Test
    void aNewerTaskThatTakesThePlaceFailsWhoWaits() {
        make("a");
        make("b");
        claim();
        String named = NAMED.replace("r\"}", "r\",\"until\":\"Start\"}");
        worker.step(List.of(World.brought(held("h#plan"), named)), 0);
        plan(
                "{\"tasks\":[{\"handler\":\"other\",\"maxTrials\":1,\"once\":{\"name\":\"folder\",\"until\":\"Start\",\"replace\":true}}]}");
        assertThat(error("a").message()).contains("has failed: Replaced: a newer task of the same name");
    }
}
