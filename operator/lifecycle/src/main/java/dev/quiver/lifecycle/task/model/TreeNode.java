package dev.quiver.lifecycle.task.model;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.execution.Execution;

/** A node of a tree before it is created, with all that is below it. Immutable. */
public sealed interface TreeNode {

    /** Trials of a leaf or of an iterator's call at most. */
    int MOST_TRIALS = 100;

    /** Children of a group, of a forEach, or alive of an iterator, at most. */
    int MAX_CHILDREN = 10_000;

    /** The code that it executes, or its name alone. */
    TaskBody body();

    /** Where it stands among those that wait, as far as it is queued itself. */
    default Rank rank() {
        return Rank.NONE;
    }

    /** The children that are there from the beginning, in order. */
    default List<TreeNode> children() {
        return List.of();
    }

    /**
     * The reaction of a composite to a child that ended with an error.
     */
    enum OnChildError {
        /** The composite ends with the child's error; the other children are cancelled. */
        FAIL,
        /** The child counts as ended; its place in the result is null. */
        CONTINUE
    }

    /**
     * One unit of work.
     *
     * @param pool whose workers run it: a WorkerPool, or where the layout has others, one of them
     * @param handler the function that a worker must serve; absent: a command
     * @param maxTrials that may fail, 1 to {@value #MOST_TRIALS}
     * @param total its share of the progress, at least 1
     * @param rank where it stands among those that wait
     */
    record Leaf(String pool, Optional<String> handler, int maxTrials, long total, Rank rank, TaskBody body)
            implements TreeNode {

        /** Checks the bounds. */
        public Leaf {
            handler.ifPresent(Execution.Handler::checkFunction);
            body.plan().ifPresent(time -> planOf(handler));
            if (body.contingency()) {
                beside(handler, "contingency", Execution.Handler.CONTINGENCY);
            }
            NumberBounds.check("maxTrials", maxTrials, 1, MOST_TRIALS);
            NumberBounds.check("total", total, 1, Integer.MAX_VALUE);
        }

        /** The function that a worker must serve first: that of the plan, where the task has one. */
        public Optional<String> firstHandler() {
            return body.plan().isPresent() ? Optional.of(planOf(handler)) : handler;
        }

        private static String planOf(Optional<String> handler) {
            return beside(handler, "plan", Execution.Handler.PLAN);
        }

        private static String beside(Optional<String> handler, String field, String end) {
            return Execution.Handler.checkName(handler.orElseThrow(
                            () -> new IllegalArgumentException(field + " needs a handler: a command has none"))
                    + end);
        }

        /** One that stands by its arrival alone. */
        public Leaf(String pool, Optional<String> handler, int maxTrials, long total, TaskBody body) {
            this(pool, handler, maxTrials, total, Rank.NONE, body);
        }
    }

    /**
     * Children one after another. Each gets the result of the one before it, the first one the chain's own input; the
     * chain's result is that of the last.
     *
     * @param deadline from its start to its end; absent: none
     */
    record Chain(List<TreeNode> children, OnChildError onChildError, Optional<Duration> deadline, TaskBody body)
            implements TreeNode {

        /** Copies the list. */
        public Chain {
            children = List.copyOf(children);
        }
    }

    /**
     * Children at once. Each gets the group's input; the group's result is the array of theirs, in order.
     *
     * @param window children that may run at once; 0: all
     * @param deadline from its start to its end; absent: none
     */
    record Group(
            List<TreeNode> children, int window, OnChildError onChildError, Optional<Duration> deadline, TaskBody body)
            implements TreeNode {

        /** Copies the list and checks the bounds. */
        public Group {
            children = List.copyOf(children);
            NumberBounds.check("window", window, 0, MAX_CHILDREN);
        }
    }

    /**
     * A group with a copy of one node for each element of its input, which is an array. Each child gets its element.
     *
     * @param window children that may run at once; 0: all
     * @param deadline from its start to its end; absent: none
     */
    record ForEach(TreeNode template, int window, OnChildError onChildError, Optional<Duration> deadline, TaskBody body)
            implements TreeNode {

        /** Checks the bounds. */
        public ForEach {
            NumberBounds.check("window", window, 0, MAX_CHILDREN);
        }
    }

    /**
     * A group whose children come from a function that is called whenever there is room for more.
     *
     * @param pool whose workers call it, as of a leaf
     * @param handler the function that a worker must serve; absent: a command
     * @param maxTrials of one call that may fail, 1 to {@value #MOST_TRIALS}
     * @param window children that may be alive at once, 1 to {@value #MAX_CHILDREN}
     * @param rank where its calls stand among what waits
     */
    record IteratorNode(
            String pool,
            Optional<String> handler,
            int maxTrials,
            int window,
            OnChildError onChildError,
            Optional<Duration> deadline,
            Rank rank,
            TaskBody body)
            implements TreeNode {

        /** One whose calls stand by their arrival alone. */
        public IteratorNode(
                String pool,
                Optional<String> handler,
                int maxTrials,
                int window,
                OnChildError onChildError,
                Optional<Duration> deadline,
                TaskBody body) {
            this(pool, handler, maxTrials, window, onChildError, deadline, Rank.NONE, body);
        }

        /** Checks the bounds. */
        public IteratorNode {
            handler.ifPresent(Execution.Handler::checkFunction);
            NumberBounds.check("maxTrials", maxTrials, 1, MOST_TRIALS);
            NumberBounds.check("window", window, 1, MAX_CHILDREN);
        }
    }

    /**
     * Chunks: numbered tasks with one execution, which are no nodes. The node's result is the array of theirs, in order, or
     * of the last combine alone. The task before it in a chain brings the chunks, unless its work has them.
     *
     * @param pool whose workers run them
     * @param handler the function that a worker must serve; absent: a command
     * @param maxTrials of one chunk that may fail, 1 to {@value #MOST_TRIALS}
     * @param rank where all of them stand among the pool's sources
     * @param body what a chunk executes, with the name of the node
     */
    record Chunks(
            String pool,
            Optional<String> handler,
            int maxTrials,
            ChunkWork work,
            Optional<Duration> deadline,
            Rank rank,
            TaskBody body)
            implements TreeNode {

        /** Chunks without a priority of their own. */
        public Chunks(
                String pool,
                Optional<String> handler,
                int maxTrials,
                ChunkWork work,
                Optional<Duration> deadline,
                TaskBody body) {
            this(pool, handler, maxTrials, work, deadline, Rank.NONE, body);
        }

        /** Checks the bounds. */
        public Chunks {
            handler.ifPresent(Execution.Handler::checkFunction);
            NumberBounds.check("maxTrials", maxTrials, 1, MOST_TRIALS);
        }
    }
}
