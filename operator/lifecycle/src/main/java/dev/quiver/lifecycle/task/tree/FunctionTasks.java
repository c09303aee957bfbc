package dev.quiver.lifecycle.task.tree;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;

import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.task.keys.TreeIds;
import dev.quiver.lifecycle.task.model.NodeError;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.task.model.TreeState;

/**
 * Questions as trees of one leaf. Thread-safe.
 *
 * @param patience how long a worker may take to come
 */
record FunctionTasks(TaskTrees trees, Duration patience) implements FunctionProbe {

    /** The usual patience. */
    static final Duration PATIENCE = Duration.ofMinutes(10);

    /** How long an answer is there. */
    private static final Duration KEPT = Duration.ofMinutes(1);

    @Override
    public String ask(String pool, String name, String handler, List<JsonNode> args, Duration timeout) {
        TaskBody body = new TaskBody(
                name,
                Optional.of(new Execution.Handler(handler)),
                args,
                Map.of(),
                Optional.of(timeout),
                RetryBackoff.NONE);
        TaskTree tree = new TaskTree(
                TreeIds.fresh(),
                new TreeNode.Leaf(pool, Optional.of(handler), 1, 1, Rank.FIRST, body),
                Optional.empty(),
                false,
                Optional.of(patience),
                Duration.ZERO,
                Optional.of(KEPT));
        trees.create(tree);
        return tree.id();
    }

    @Override
    public Set<String> over(Collection<String> questions) {
        return trees.ended(questions);
    }

    @Override
    public Answer answer(String question) {
        Optional<TreeReport> report = trees.report(question, 0);
        if (report.isEmpty()) {
            return Answer.NONE;
        }
        if (report.get().state().state() == TreeState.State.FINISHED) {
            return new Answer(true, Optional.empty());
        }
        return report.get()
                .failure()
                .map(TreeReport.Failure::error)
                .filter(error -> error.trial() > 0) // else it ended before a worker had it
                .map(error -> new Answer(true, Optional.of(words(error))))
                .orElse(Answer.NONE);
    }

    private static String words(NodeError error) {
        return error.reason() + (error.message().isEmpty() ? "" : ": " + error.message());
    }
}
