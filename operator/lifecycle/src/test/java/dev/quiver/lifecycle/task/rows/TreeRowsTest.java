package dev.quiver.lifecycle.task.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskDocument;
import dev.quiver.lifecycle.task.model.TreeNode;

class TreeRowsTest {

    private static final TaskBody BODY = new TaskBody(
            "n",
            Optional.of(new Execution.Handler("f")),
            List.of(),
            Map.of(),
            Optional.<Duration>empty(),
            RetryBackoff.NONE);

    private static TreeNode leaf(String pool) {
        return new TreeNode.Leaf(pool, Optional.of("f"), 1, 1, BODY);
    }

    private static TreeNode iterator(String pool) {
        return new TreeNode.IteratorNode(
                pool, Optional.of("f"), 1, 1, TreeNode.OnChildError.FAIL, Optional.empty(), BODY);
    }

    private static TreeNode forEach(TreeNode template) {
        return new TreeNode.ForEach(template, 0, TreeNode.OnChildError.FAIL, Optional.empty(), BODY);
    }

    static Stream<TreeNode> withAPoolOnTheWire() {
        return Stream.of("", "a b", "No", "p:ready", "{p}", "ü", "x".repeat(254))
                .flatMap(pool -> Stream.of(leaf(pool), iterator(pool), forEach(leaf(pool))));
    }

    @ParameterizedTest
    @MethodSource("withAPoolOnTheWire")
    void namesOfPoolsThatNoWorkerPoolHasMakeNoRow(TreeNode node) {
        assertThatThrownBy(() -> TreeRows.of(node))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is no name of a WorkerPool");
        TreeNode deep =
                new TreeNode.Group(List.of(leaf("good"), node), 0, TreeNode.OnChildError.FAIL, Optional.empty(), BODY);
        assertThatThrownBy(() -> TreeRows.of(leaf("good"), Optional.of(deep)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"p", "shared", "team.a-1"})
    void namesOfWorkerPoolsAreListedOnce(String pool) {
        TreeNode both = new TreeNode.Group(
                List.of(leaf(pool), iterator(pool)), 0, TreeNode.OnChildError.FAIL, Optional.empty(), BODY);
        assertThat(TreeRows.of(both).pools()).containsExactly(pool);
    }

    @Test
    void theDocumentOfANodeHasTheSizeOfStreamsBesideTheWordOfItsRecording() {
        Recording how = Recording.DEFAULT.keepingStreams(64);
        String document = TaskDocument.write(BODY.recorded(Optional.of(how)), Map.of());
        assertThat(document).contains("\"afn-\"", "\"streamKib\":64");
        assertThat(TaskDocument.read(document).recording()).contains(how);
        assertThat(TaskDocument.write(BODY.recorded(Optional.of(Recording.DEFAULT)), Map.of()))
                .doesNotContain("streamKib");
    }

    private static TreeNode group(List<TreeNode> children) {
        return new TreeNode.Group(children, 0, TreeNode.OnChildError.FAIL, Optional.empty(), BODY);
    }

    @Test
    void treesAndTemplatesAboveTheirBoundsAreRefusedWithBothNumbers() {
        List<TreeNode> many = Collections.nCopies(9_999, leaf("p"));
        TreeNode full = group(Collections.nCopies(10, group(many)));
        assertThatThrownBy(() -> TreeRows.of(full)).hasMessage("a tree has 100001 nodes, at most 100000 are allowed");
        assertThat(TreeRows.of(group(Collections.nCopies(9, group(many)))).rows())
                .hasSize(90_001);
        TreeNode template = group(Collections.nCopies(1000, leaf("p")));
        assertThatThrownBy(() -> TreeRows.of(forEach(template)))
                .hasMessage("the template of a forEach has 1001 nodes, at most 1000 are allowed");
    }
}
