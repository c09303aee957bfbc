package dev.quiver.lifecycle.task.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.execution.SlotFacts;
import dev.quiver.lifecycle.execution.TaskInvocation;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;

/** Tasks whose plans say what would undo them. */
class UndoIT {

    private static final String LEFT =
            "\"undo\":[{\"handler\":\"h\",\"name\":\"back\",\"args\":[1.0]}," + "{\"handler\":\"far\",\"pool\":\"q\"}]";

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

    private void make(String id, boolean undoable, Duration keep) {
        TreeNode leaf = new TreeNode.Leaf(
                "p",
                Optional.of("h"),
                1,
                1,
                undoable
                        ? World.body(id, "h").planned(5).undoable()
                        : World.body(id, "h").planned(5));
        producer.submit(
                Submission.of(List.of(new TaskTree(
                        id, leaf, Optional.empty(), false, Optional.empty(), Duration.ZERO, Optional.of(keep)))),
                Duration.ofSeconds(60));
    }

    private void make(String id) {
        make(id, true, Duration.ofHours(1));
    }

    private List<String> claim() {
        return worker.claimNames();
    }

    private void plan(String answer) {
        claim();
        worker.step(List.of(World.brought(worker.held.getFirst(), answer)), 0);
    }

    private void pass() {
        worker.step(List.of(World.passed(worker.held.getFirst(), "1")), 0);
    }

    private long kept() {
        return world.store.ask(redis -> redis.hlen(world.keys.body()));
    }

    @Test
    void whatAPlanLeftIsMadeOnceTheTaskHasEndedAndOnlyOnce() {
        make("t");
        plan("{" + LEFT + "}");
        claim();
        assertThatThrownBy(() -> producer.undo("t"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("task t runs");
        pass();
        Undone undone = producer.undo("t").orElseThrow();
        assertThat(undone.cancelled()).isFalse();
        assertThat(undone.tasks()).hasSize(2);
        assertThat(producer.undo("t")).as("the reply was lost").contains(undone);
        Claim back = worker.step(List.of(), 5).claims().getFirst();
        assertThat(back.id()).isEqualTo(undone.tasks().getFirst());
        assertThat(world.arguments(back)).isEqualTo("[1.0]");
        assertThat(world.worker("q", "far").claimNames()).containsExactly("far");
        pass();
        assertThat(producer.undo("t")).contains(undone);
        assertThat(claim()).as("none is made again").isEmpty();
    }

    @Test
    void aTaskThatHasNotBegunIsCancelled() {
        make("t");
        assertThat(producer.undo("t")).contains(new Undone(true, List.of()));
        assertThat(world.state("t").error().orElseThrow().reason()).isEqualTo("Cancelled");
        assertThat(claim()).isEmpty();
        assertThat(producer.undo("t")).as("once more").contains(new Undone(false, List.of()));
    }

    /** Its plan has changed something already. */
    @Test
    void aTaskThatIsPlannedAndWaitsIsCancelledAndWhatItsPlanChangedIsUndone() {
        make("t");
        plan("{" + LEFT + ",\"resources\":[\"unknown\"]}");
        Undone undone = producer.undo("t").orElseThrow();
        assertThat(undone.cancelled()).isTrue();
        assertThat(undone.tasks()).hasSize(2);
        assertThat(producer.undo("t").orElseThrow().tasks()).as("once more").isEqualTo(undone.tasks());
        assertThat(claim()).containsExactly("back");
    }

    /** Its worker is about to stop, and may change something until then. */
    @Test
    void aTaskThatIsCancelledWhileItRunsIsUndoneTenSecondsLater() {
        make("t");
        plan("{" + LEFT + "}");
        claim();
        world.trees.change("t", Trees.Change.CANCEL);
        assertThatThrownBy(() -> producer.undo("t"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ten seconds after its end");
        String facts = world.store.ask(redis -> redis.hget(world.keys.roots(), "t"));
        world.store.ask(redis -> redis.hset(world.keys.roots(), "t", facts.replaceAll("\t\\d{13}\t", "\t1\t")));
        assertThat(producer.undo("t").orElseThrow().tasks()).hasSize(2);
    }

    /** That worker may be cut off from Redis, and go on for a while. */
    @Test
    void aTaskWhoseWorkerWasLostIsNotUndoneUntilItHasEnded() {
        make("t");
        plan("{" + LEFT + "}");
        claim();
        worker.die();
        assertThatThrownBy(() -> producer.undo("t")).isInstanceOf(IllegalStateException.class);
        worker = world.worker("p", "h", "h#plan");
        assertThat(claim()).hasSize(1);
        pass();
        assertThat(producer.undo("t").orElseThrow().tasks()).hasSize(2);
    }

    @Test
    void whatATenantWroteInPlaceOfTheUndoIsRefusedAndTheTaskGoesOn() {
        make("t");
        plan("{" + LEFT + "}");
        world.store.ask(redis -> redis.hset(world.keys.body(), "t\0undo", "[\"nonsense\"]"));
        assertThatThrownBy(() -> producer.undo("t")).hasMessageContaining("what would undo task t cannot be read");
        assertThat(claim()).hasSize(1);
    }

    /** Its worker may be about to change something. */
    @Test
    void aTaskThatIsBeingPlannedIsNotUndone() {
        make("t");
        claim();
        assertThatThrownBy(() -> producer.undo("t")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aTaskThatFailedOrWaitsForAnotherTrialIsUndone() {
        make("t");
        plan("{" + LEFT + "}");
        claim();
        worker.step(List.of(new Settlement.Returned(worker.held.getFirst())), 0);
        assertThat(producer.undo("t").orElseThrow().tasks()).hasSize(2);
        make("failed");
        plan("{" + LEFT + "}");
        claim();
        worker.step(worker.held.stream().map(World::failed).toList(), 0);
        assertThat(producer.undo("failed").orElseThrow().tasks()).hasSize(2);
    }

    @Test
    void theUndoOfTheUndoIsThereToo() {
        make("t");
        plan("{\"done\":true,\"undo\":[{\"handler\":\"h\",\"plan\":true,\"undo\":true}]}");
        String undo = producer.undo("t").orElseThrow().tasks().getFirst();
        plan("{\"done\":true,\"result\":3," + LEFT + "}");
        assertThat(world.trees.result(undo, 100)).as("it is kept").isEqualTo("3");
        assertThat(producer.undo(undo).orElseThrow().tasks()).hasSize(2);
    }

    @Test
    void aTaskWhoseNameIsTakenIsNotMadeAndNotNamed() {
        make("t");
        String named = "{\"handler\":\"h\",\"once\":{\"name\":\"n\"}}";
        plan("{\"done\":true,\"undo\":[" + named + "," + named + "]}");
        assertThat(producer.undo("t").orElseThrow().tasks()).hasSize(1);
    }

    @Test
    void aTaskThatIsNotKeptIsUndoneWhileItWaits() {
        make("gone", true, Duration.ZERO);
        plan("{" + LEFT + "}");
        assertThat(producer.undo("gone").orElseThrow().tasks()).hasSize(2);
        assertThat(producer.undo("gone")).isEmpty();
        assertThat(kept()).as("documents of the two").isEqualTo(2);
    }

    @Test
    void aPlanThatEndsTheTaskMayLeaveWhatUndoesIt() {
        make("t");
        plan("{\"done\":true,\"result\":1," + LEFT + "}");
        assertThat(producer.undo("t").orElseThrow().tasks()).hasSize(2);
    }

    @Test
    void nothingIsKeptOfATaskThatDoesNotAskForItAndNothingOfOneThatIsGone() {
        make("t", false, Duration.ofHours(1));
        plan("{" + LEFT + "}");
        claim();
        pass();
        assertThat(producer.undo("t")).contains(new Undone(false, List.of()));
        make("gone", true, Duration.ZERO);
        plan("{" + LEFT + "}");
        assertThat(kept()).isEqualTo(3);
        claim();
        pass();
        assertThat(kept()).as("of the one that is kept").isEqualTo(1);
        assertThat(producer.undo("gone")).isEmpty();
        assertThat(producer.undo("never-there")).isEmpty();
    }

    @Test
    void aPlanIsToldWhetherItIsAsked() {
        make("asked");
        make("not", false, Duration.ofHours(1));
        claim();
        SlotFacts slot = new SlotFacts(0, "pod", "/in", "/out", 1 << 20);
        assertThat(worker.held)
                .extracting(claim -> ((TaskInvocation.Handler) claim.task().render(slot))
                        .env()
                        .containsKey("QUIVER_UNDO"))
                .containsExactly(true, false);
    }
}
