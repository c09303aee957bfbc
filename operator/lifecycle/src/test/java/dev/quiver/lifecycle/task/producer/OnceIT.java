package dev.quiver.lifecycle.task.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.OnceName;
import dev.quiver.lifecycle.task.model.OnceName.Only;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeState;

/** Names that a task has until a worker takes it, and newer tasks that take the place of one that waits. */
class OnceIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;
    private World.Worker worker;
    private TaskProducer producer;

    @BeforeEach
    void begin() {
        world = new World(REDIS);
        worker = world.worker("p", "h", "h#plan");
        producer = new TaskProducer(world.store, world.keyspace, () -> {});
    }

    @AfterEach
    void end() {
        world.close();
    }

    private static TaskTree tree(String id, TreeNode root, Duration delay) {
        return new TaskTree(
                id, root, Optional.empty(), false, Optional.empty(), delay, Optional.of(Duration.ofHours(1)));
    }

    private static TreeNode leaf(String name, int trials) {
        return new TreeNode.Leaf("p", Optional.of("h"), trials, 1, World.body(name, "h"));
    }

    private static TreeNode planned() {
        return new TreeNode.Leaf(
                "p", Optional.of("h"), 1, 1, World.body("a", "h").planned(5));
    }

    private String submit(String id, Only only) {
        return submit(tree(id, leaf(id, 2), Duration.ZERO), only);
    }

    private String submit(TaskTree tree, Only only) {
        producer.submit(Submission.named(tree, new OnceName("sync:7", only)), PATIENCE);
        return producer.holder(tree.id(), "sync:7");
    }

    private List<String> claim() {
        return worker.step(List.of(), 9).claims().stream()
                .map(claim -> claim.task().name())
                .toList();
    }

    private String error(String tree) {
        return world.state(tree).error().orElseThrow().reason();
    }

    @Test
    void atMostOneTaskOfANameWaits() {
        assertThat(submit("a", Only.WHILE_IT_WAITS)).isEqualTo("a");
        assertThat(submit("b", Only.WHILE_IT_WAITS)).isEqualTo("a");
        assertThat(claim()).containsExactly("a");
        assertThat(submit("c", Only.WHILE_IT_WAITS)).as("the other one runs").isEqualTo("c");
        assertThat(submit("d", Only.WHILE_IT_WAITS)).isEqualTo("c");
        assertThat(submit("e", Only.WHILE_IT_GOES_ON)).as("it has the name").isEqualTo("c");
        assertThat(claim()).containsExactly("c");
    }

    @Test
    void aTaskThatWaitsForAnotherTrialHasItsNameAgain() {
        submit("a", Only.WHILE_IT_WAITS);
        claim();
        worker.step(List.of(World.failed(worker.held.getFirst())), 0);
        assertThat(submit("b", Only.WHILE_IT_WAITS)).isEqualTo("a");
    }

    @Test
    void aNewerTaskTakesThePlaceOfTheOneThatWaits() {
        submit("other", Only.WHILE_IT_WAITS);
        claim();
        assertThat(submit("a", Only.THE_NEWEST)).isEqualTo("a");
        assertThat(submit("b", Only.THE_NEWEST)).isEqualTo("b");
        assertThat(error("a")).isEqualTo("Replaced");
        assertThat(claim()).containsExactly("b");
        assertThat(submit("c", Only.THE_NEWEST)).isEqualTo("c");
        assertThat(world.state("b").state()).as("what runs goes on").isEqualTo(TreeState.State.LOCKED);
        assertThat(claim()).containsExactly("c");
    }

    @Test
    void aPostponedTaskIsReplacedSoAChangeWaitsUntilNoneFollows() {
        submit(tree("a", leaf("a", 1), Duration.ofHours(1)), Only.THE_NEWEST);
        submit(tree("b", leaf("b", 1), Duration.ofMillis(1)), Only.THE_NEWEST);
        assertThat(error("a")).isEqualTo("Replaced");
        await().untilAsserted(() -> {
            world.tick();
            assertThat(claim()).containsExactly("b");
        });
    }

    @Test
    void aTaskWaitsWhileItIsPlanned() {
        submit(tree("a", planned(), Duration.ZERO), Only.WHILE_IT_WAITS);
        claim();
        assertThat(submit("b", Only.WHILE_IT_WAITS)).isEqualTo("a");
        assertThat(submit("c", Only.THE_NEWEST)).isEqualTo("c");
        assertThat(error("a")).isEqualTo("Replaced");
        assertThat(worker.step(List.of(World.passed(worker.held.getFirst(), "1")), 9)
                        .claims())
                .as("its plan is void")
                .extracting(claim -> claim.task().name())
                .containsExactly("c");
    }

    @Test
    void whatFollowsMayHaveAName() {
        submit("first", Only.WHILE_IT_GOES_ON);
        claim();
        settle("{\"tasks\":[" + following("one", "sync:8", "") + "," + following("two", "sync:8", "") + ","
                + following("three", "sync:8", ",\"replace\":true") + "]}");
        assertThat(claim()).containsExactly("three");
    }

    private void settle(String answer) {
        worker.step(List.of(World.brought(worker.held.getFirst(), answer)), 0);
    }

    private static String following(String name, String once, String more) {
        return "{\"handler\":\"h\",\"name\":\"" + name + "\",\"once\":{\"name\":\"" + once + "\",\"until\":\"Start\""
                + more + "}}";
    }

    /** Else a job that makes the next one of its name would be its last. */
    @Test
    void aTaskThatEndsGivesItsOwnNameFreeForWhatItBrings() {
        submit("a", Only.WHILE_IT_GOES_ON);
        claim();
        settle("{\"tasks\":[" + following("next", "sync:7", "") + "]}");
        assertThat(claim()).containsExactly("next");
    }

    @Test
    void aPlanCannotReplaceItsOwnTask() {
        submit(tree("a", planned(), Duration.ZERO), Only.THE_NEWEST);
        claim();
        settle("{\"tasks\":[" + following("next", "sync:7", ",\"replace\":true") + "]}");
        assertThat(claim()).as("it has the name").containsExactly("a");
        assertThat(world.nodes()).isEqualTo(1);
        submit("b", Only.THE_NEWEST);
        settle("{}");
        assertThat(world.state("a").state()).isEqualTo(TreeState.State.FINISHED);
    }

    @Test
    void aPlanWithWhichItsTaskEndsMayBringTheNextOneOfItsName() {
        submit(tree("a", planned(), Duration.ZERO), Only.WHILE_IT_WAITS);
        claim();
        settle("{\"done\":true,\"tasks\":[" + following("next", "sync:7", "") + "]}");
        assertThat(claim()).containsExactly("next");
    }

    @Test
    void replacedTasksLeaveNoTimerAndNoName() {
        for (int i = 0; i < 20; i++) {
            TaskTree later = new TaskTree(
                    "d" + i,
                    leaf("d" + i, 1),
                    Optional.empty(),
                    false,
                    Optional.empty(),
                    Duration.ofHours(1),
                    Optional.of(Duration.ZERO));
            submit(later, Only.THE_NEWEST);
        }
        long timers = world.store.ask(redis -> redis.zcard(world.keys.commands()));
        long names = world.store.ask(redis -> redis.hlen(world.keys.names()));
        assertThat(timers).isEqualTo(1);
        assertThat(names).as("by name and by tree").isEqualTo(2);
        assertThat(world.nodes()).isEqualTo(1);
    }

    @Test
    void aCompositeHasItsNameToTheEnd() {
        TaskTree chain = tree("a", World.chain(World.leaf("x")), Duration.ZERO);
        assertThat(submit(chain, Only.WHILE_IT_GOES_ON)).isEqualTo("a");
        assertThatThrownBy(() -> submit(chain, Only.THE_NEWEST))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"sync:7\" is kept until its task starts");
        assertThat(submit("b", Only.THE_NEWEST)).as("it goes on").isEqualTo("a");
    }

    @Test
    void aProgramCannotGiveTheByteOfATreeThatIsMadeAgain() {
        assertThatThrownBy(() -> submit("a", Only.WHERE_FREE)).hasMessageContaining("makes no sense");
        long names = world.store.ask(redis -> redis.exists(world.keys.names()));
        assertThat(names).isZero();
    }
}
