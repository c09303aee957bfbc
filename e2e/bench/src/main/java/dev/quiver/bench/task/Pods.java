package dev.quiver.bench.task;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import dev.quiver.bench.Lab;
import dev.quiver.bench.Waiting;
import dev.quiver.bench.process.Child;
import dev.quiver.bench.process.Program;
import dev.quiver.bench.quiver.ExecutorProgram;
import dev.quiver.bench.quiver.Headquarters;
import dev.quiver.bench.quiver.TaskTimes;
import dev.quiver.bench.quiver.TimedHandler;
import dev.quiver.bench.quiver.Worker;
import dev.quiver.bench.redis.RedisServer;
import dev.quiver.lifecycle.task.model.TaskBody;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.task.model.TreeNode.OnChildError;
import dev.quiver.lifecycle.task.model.TreeState;

/** Some pods of one pool, and groups of numbered tasks that return their number. */
final class Pods implements Closeable {

    static final Duration PATIENCE = Duration.ofMinutes(10);

    private static final String NAMESPACE = "healing";
    private static final Duration KEEP = Duration.ofHours(1);
    private static final int TRIALS = 100;
    private static final int GROUP = 10_000;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final String pool;
    private final Headquarters headquarters;
    private final TaskTimes times;
    private final List<Worker> workers = new ArrayList<>();

    private Pods(String pool, Headquarters headquarters, TaskTimes times) {
        this.pool = pool;
        this.headquarters = headquarters;
        this.times = times;
    }

    static Pods start(Lab lab, RedisServer redis, String pool, int pods, int slots, int tasks, Duration work)
            throws Exception {
        Pods all = new Pods(pool, new Headquarters(redis.port(), NAMESPACE), TaskTimes.create(lab, tasks));
        try {
            String uid = all.headquarters.announce(pool);
            ExecutorProgram executor =
                    TimedHandler.serving(lab, Optional.of(all.times), work, List.of(TimedHandler.FUNCTION));
            for (int i = 0; i < pods; i++) {
                String pod = pool + "-" + i;
                Worker.Post post = new Worker.Post(NAMESPACE, pool, uid, pod, pod + "-uid", slots);
                all.workers.add(Worker.start(lab, Program.supervisor(lab), post, redis.port(), executor));
            }
            return all;
        } catch (Exception failure) {
            all.close();
            throw failure;
        }
    }

    int size() {
        return workers.size();
    }

    Worker worker(int pod) {
        return workers.get(pod);
    }

    TaskTimes times() {
        return times;
    }

    /** Kills all processes of a pod, which does not come back. */
    void killAll(int pod) throws IOException {
        Child agent = workers.get(pod).executor();
        List<Long> handlers = ProcessHandle.of(agent.pid()).stream()
                .flatMap(ProcessHandle::descendants)
                .map(ProcessHandle::pid)
                .toList();
        workers.get(pod).supervisor().signal("KILL");
        agent.signal("KILL");
        for (long handler : handlers) {
            Child.signal(handler, "KILL");
        }
    }

    /** Starts again what has ended, in all pods. */
    void revive() throws IOException {
        for (Worker worker : workers) {
            worker.revive();
        }
    }

    /** Plants so many tasks in groups; returns the ids of their trees, in order. */
    List<String> plant(int tasks) {
        List<String> trees = new ArrayList<>();
        for (int first = 0; first < tasks; first += GROUP) {
            List<TreeNode> leaves = IntStream.range(first, Math.min(tasks, first + GROUP))
                    .mapToObj(task -> TimedHandler.leaf(pool, TimedHandler.FUNCTION, task, TRIALS))
                    .toList();
            TreeNode group =
                    new TreeNode.Group(leaves, 0, OnChildError.CONTINUE, Optional.empty(), TaskBody.named("group"));
            trees.addAll(headquarters.plant(List.of(group), KEEP));
        }
        return trees;
    }

    /** How many tasks were started at least once. */
    long started() {
        return IntStream.range(0, times.length())
                .filter(task -> times.runs(task) > 0)
                .count();
    }

    /** How many runs there were beyond the first of each task. */
    long runAgain() {
        return IntStream.range(0, times.length())
                .mapToLong(task -> Math.max(0, times.runs(task) - 1))
                .sum();
    }

    boolean areOver(List<String> trees) {
        return trees.stream().allMatch(tree -> state(tree).over());
    }

    void awaitEnd(List<String> trees) throws Exception {
        Waiting.await("the end of all tasks", PATIENCE, () -> areOver(trees));
    }

    private TreeState state(String tree) {
        return headquarters.tree(tree).orElseThrow();
    }

    /**
     * The outcome of the tasks.
     *
     * @param lost that never ran, or whose number is not in the result of their group
     * @param failed that ended with an error: after three workers that were lost with it, a task is not tried again
     * @param twice counted beyond one for each task
     */
    record Outcome(long lost, long failed, long twice) {}

    /** After the end of all. */
    Outcome outcome(List<String> trees) throws JsonProcessingException {
        Set<Integer> there = new HashSet<>();
        long failed = 0;
        long counted = 0;
        for (String tree : trees) {
            counted += state(tree).progress();
            for (JsonNode number : JSON.readTree(headquarters.result(tree))) {
                failed += number.isNull() ? 1 : 0;
                there.add(number.asInt(-1));
            }
        }
        long missing = IntStream.range(0, times.length())
                .filter(task -> times.runs(task) == 0 || !there.contains(task))
                .count();
        long lost = missing - failed;
        return new Outcome(lost, failed, counted - (times.length() - lost));
    }

    @Override
    public void close() throws IOException {
        for (Worker worker : workers) {
            worker.close();
        }
        headquarters.close();
    }
}
