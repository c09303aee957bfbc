package dev.quiver.lifecycle.task.tree;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;

import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.task.model.NodeError;
import dev.quiver.lifecycle.task.model.Rank;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeReport;
import dev.quiver.lifecycle.task.model.TreeState;

/**
 * Asks functions of a pool whether something is there, each time by a task of its own: one that returns says yes, one that
 * fails says no. It stands before all other tasks of the pool and has one trial. Thread-safe.
 */
public final class FunctionProbe {

    private static final Rank FIRST = new Rank(Rank.MOST_PRIORITY, List.of(), Optional.empty());

    /** Nodes of such a task. */
    private static final int NODES = 1;

    private final TaskTrees trees;

    /** In the keyspace of these trees. */
    public FunctionProbe(TaskTrees trees) {
        this.trees = trees;
    }

    /**
     * The state of a question.
     *
     * @param over whether an answer is there
     * @param failure why the answer is no; empty where it is yes
     */
    public record Answer(boolean over, Optional<String> failure) {
        static final Answer OPEN = new Answer(false, Optional.empty());
    }

    /**
     * Asks.
     *
     * @param question id of its task, another one each time
     * @param name of what it is about, for people
     * @param timeout from when a worker has it
     */
    public void ask(String question, String pool, String name, String handler, List<JsonNode> args, Duration timeout) {
        TaskBody body = new TaskBody(
                name,
                Optional.of(new Execution.Handler(handler)),
                args,
                Map.of(),
                Optional.of(timeout),
                RetryBackoff.NONE);
        trees.create(TaskTree.of(question, new TreeNode.Leaf(pool, Optional.of(handler), 1, 1, FIRST, body)));
    }

    /** The answer to a question, which is forgotten with it; absent where nothing is known of the question. */
    public Optional<Answer> answer(String question) {
        Optional<TreeReport> report = trees.report(question, 0);
        if (report.isEmpty()) {
            return Optional.empty();
        }
        TreeState.State state = report.get().state().state();
        if (!state.isOver()) {
            return Optional.of(Answer.OPEN);
        }
        withdraw(question);
        return Optional.of(new Answer(
                true,
                state == TreeState.State.FINISHED
                        ? Optional.empty()
                        : Optional.of(report.get()
                                .failure()
                                .map(TreeReport.Failure::error)
                                .map(FunctionProbe::words)
                                .orElse("it failed"))));
    }

    /** Forgets a question that nobody waits for any more. */
    public void withdraw(String question) {
        trees.drop(question, NODES);
    }

    private static String words(NodeError error) {
        return error.reason() + (error.message().isEmpty() ? "" : ": " + error.message());
    }
}
