package dev.quiver.bench.quiver;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.LongNode;

import dev.quiver.bench.Lab;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.execution.RetryBackoff;
import dev.quiver.lifecycle.task.model.ChunkWork;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;

/** Real handler processes behind the real agent that note when they ran, and the nodes that call them. */
public final class TimedHandler {

    /** The function that {@link #leaf} calls, unless another is said. */
    public static final String FUNCTION = "a";

    private static final String WALK = "walk";
    private static final String NUMBERS = "numbers";
    private static final String SUM = "sum";

    private static final long MOST_RESULTS = 64 << 20;

    private TimedHandler() {}

    /**
     * The agent with {@code timed.c} in each slot.
     *
     * @param times where it notes; a task beyond it is a warm-up, which takes no time; absent: nowhere
     * @param work how long each task takes
     * @param functions that it serves
     */
    public static ExecutorProgram serving(Lab lab, Optional<TaskTimes> times, Duration work, List<String> functions)
            throws Exception {
        Map<String, String> environment = new HashMap<>();
        environment.put("QUIVER_BENCH_SERVES", String.join(",", functions));
        environment.put("QUIVER_BENCH_WORK_MICROS", "" + work.toNanos() / 1000);
        times.ifPresent(
                file -> environment.put("QUIVER_BENCH_TIMES", file.file().toString()));
        List<String> handler = List.of(NoopHandler.built(lab, "timed").toString());
        return ExecutorProgram.withHandlers(ExecutorProgram.agent(lab), handler, environment);
    }

    /** The one that serves {@link #leaf} and {@link #walk}, without times and without work. */
    public static ExecutorProgram atOnce(Lab lab) throws Exception {
        return serving(lab, Optional.empty(), Duration.ZERO, List.of(FUNCTION, WALK));
    }

    /** A call of a function, which returns this index. */
    public static TreeNode leaf(String pool, String function, long index, int maxTrials) {
        return new TreeNode.Leaf(pool, Optional.of(function), maxTrials, 1, body(function, index));
    }

    /** An iterator of so many leaves. */
    public static TreeNode walk(String pool, long children, int window) {
        return new TreeNode.IteratorNode(
                pool, Optional.of(WALK), 1, window, OnChildError.FAIL, Optional.empty(), body(WALK, children));
    }

    /** The functions of {@link #mapReduce}. */
    public static List<String> mapReduceFunctions() {
        return List.of(FUNCTION, NUMBERS, SUM);
    }

    /**
     * A map-reduce whose chunks are the numbers below this one, each returned as it is, and added up in the end.
     *
     * @param fanIn results that are added up by one combine; 0: nothing combines
     */
    public static TreeNode mapReduce(String pool, int chunks, int fanIn) {
        ChunkWork work = new ChunkWork(
                Optional.of(fanIn).filter(each -> each > 0).map(_ -> body(SUM)),
                1,
                Math.max(2, fanIn),
                false,
                MOST_RESULTS,
                false,
                Optional.empty(),
                Optional.empty());
        TreeNode map = new TreeNode.Leaf(
                pool,
                Optional.of(NUMBERS),
                1,
                1,
                body(NUMBERS, LongNode.valueOf(chunks)).bringing());
        TreeNode process = new TreeNode.Chunks(pool, Optional.of(FUNCTION), 1, work, Optional.empty(), body(FUNCTION));
        TreeNode reduce = new TreeNode.Leaf(pool, Optional.of(SUM), 1, 1, body(SUM));
        return new TreeNode.Chain(
                List.of(map, process, reduce), OnChildError.FAIL, Optional.empty(), TaskBody.named("map-reduce"));
    }

    private static TaskBody body(String function, long argument) {
        return body(function, LongNode.valueOf(argument));
    }

    private static TaskBody body(String function, JsonNode... arguments) {
        return new TaskBody(
                function,
                Optional.of(new Execution.Handler(function)),
                List.of(arguments),
                Map.of(),
                Optional.empty(),
                RetryBackoff.NONE);
    }
}
