package dev.quiver.crds.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.TaskGraph.Invalid;

class IdoitCheckTest {

    private static TaskSpec spec(TaskNode... nodes) {
        return TaskSpecBuilder.builder().wire(Wire.Idoit).nodes(List.of(nodes)).build();
    }

    private static TaskNodeBuilder leaf() {
        return TaskNodeBuilder.builder(TaskNode.ofHandler("a", "resize"));
    }

    private static void refuses(TaskNode node, String message) {
        assertThat(TaskGraph.of(spec(TaskNode.ofChain("all", "a"), node)))
                .isEqualTo(new Invalid("a", "node a: " + message));
        var own = TaskGraph.of(TaskSpecBuilder.builder(spec(TaskNode.ofChain("all", "a"), node))
                .wire(Wire.Quiver)
                .build());
        assertThat(own.toString()).doesNotContain("Idoit");
    }

    @Test
    void takesFunctionsChainsGroupsAndIterators() {
        assertThat(TaskGraph.of(spec(
                        TaskNode.ofChain("all", "a", "both", "walk"),
                        leaf().maxTrials(9)
                                .backoff(new Backoff(1, 2, 3, 4))
                                .activeDeadlineSeconds(5)
                                .total(6)
                                .args(List.of(JsonNodeFactory.instance.nullNode()))
                                .build(),
                        TaskNode.ofGroup("both", "b", "c"),
                        TaskNodeBuilder.builder(TaskNode.ofHandler("b", "resize"))
                                .foreignPool("node")
                                .build(),
                        TaskNode.ofHandler("c", "resize"),
                        TaskNode.ofIterator("walk", TaskIterator.ofHandler("walk")))))
                .isInstanceOf(TaskGraph.Valid.class);
    }

    @Test
    void namesANodeThatAsksForAResult() {
        refuses(
                TaskNode.ofHandler("a", "resize", JsonNodeFactory.instance.textNode("$(results.all)")),
                "its arguments ask for the result of all, and wire: Idoit has no references: a chain hands over the"
                        + " result before it alone");
    }

    @Test
    void namesWhatTheHashOfATaskHasNoFieldFor() {
        refuses(TaskNode.ofCommand("a", "true"), "wire: Idoit knows no command");
        refuses(leaf().env(List.of(new EnvEntry("A", "b"))).build(), "wire: Idoit knows no env");
        refuses(
                TaskNode.ofIterator(
                        "a",
                        TaskIteratorBuilder.builder()
                                .handler("walk")
                                .env(List.of(new EnvEntry("A", "b")))
                                .build()),
                "wire: Idoit knows no iterator.env");
        refuses(
                TaskNode.ofIterator(
                        "a",
                        TaskIteratorBuilder.builder().handler("walk").window(10).build()),
                "wire: Idoit knows no iterator.window but 1000");
        refuses(
                TaskNode.ofIterator(
                        "a",
                        TaskIteratorBuilder.builder()
                                .handler("walk")
                                .activeDeadlineSeconds(10)
                                .build()),
                "wire: Idoit knows no iterator.activeDeadlineSeconds");
        refuses(
                TaskNodeBuilder.builder(TaskNode.ofIterator("a", TaskIterator.ofHandler("walk")))
                        .activeDeadlineSeconds(5)
                        .build(),
                "wire: Idoit knows no activeDeadlineSeconds but of a handler");
        refuses(
                TaskNodeBuilder.builder(TaskNode.ofIterator("a", TaskIterator.ofHandler("walk")))
                        .onChildError(OnChildError.Continue)
                        .build(),
                "wire: Idoit knows no onChildError: Continue");
    }

    @Test
    void leavesBoundsOfForeignNodesToTheirPrograms() {
        for (var node :
                List.of(leaf().maxTrials(1), leaf().backoff(Backoff.DEFAULT), leaf().activeDeadlineSeconds(5))) {
            refuses(
                    node.foreignPool("node").build(),
                    "the programs of foreignPool node decide on maxTrials, backoff and activeDeadlineSeconds");
        }
    }

    @Test
    void refusesTheNamesOfComposites() {
        refuses(TaskNode.ofHandler("a", "chain"), "its handler is called chain, as the composites of idoit are");
        refuses(
                TaskNode.ofIterator("a", TaskIterator.ofHandler("group")),
                "its handler is called group, as the composites of idoit are");
    }
}
