package dev.quiver.lifecycle.task.tree;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Asks functions of pools whether something is there, each time by a task of its own. One that returns says yes, one that
 * fails says no. The task has the highest priority that a task may have of its own, and one trial. It goes by itself, also
 * where nobody reads its answer.
 */
public interface FunctionProbe {

    /** Functions of a keyspace's pools. */
    static FunctionProbe in(TaskTrees trees) {
        return new FunctionTasks(trees, FunctionTasks.PATIENCE);
    }

    /**
     * The answer to a question.
     *
     * @param given whether there is one: nobody took the task in time, or it is gone, where there is none
     * @param failure why the answer is no; empty where it is yes
     */
    record Answer(boolean given, Optional<String> failure) {
        /** No worker answered. */
        public static final Answer NONE = new Answer(false, Optional.empty());
    }

    /**
     * Asks.
     *
     * @param name of what it is about, for people
     * @param args of any JSON; none may stand for another node's result
     * @param timeout from when a worker has it
     * @return the question
     * @throws IllegalArgumentException for arguments that no task can have
     */
    String ask(String pool, String name, String handler, List<JsonNode> args, Duration timeout);

    /**
     * The questions among these that wait for no answer any more.
     *
     * @param questions at most 1,000
     */
    Set<String> over(Collection<String> questions);

    /** The answer to a question that is {@link #over}. */
    Answer answer(String question);
}
