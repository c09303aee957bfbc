package dev.quiver.lifecycle.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.RunningTask;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest.Pace;
import dev.quiver.lifecycle.worker.WorkerSession;

/**
 * A set whose tasks may have two holders, and the counts that must hold after every call: each is compared with what the
 * sessions hold.
 */
final class CopiesRig {

    static final String SET = "u";

    /** A task has run for so long that any worker offers it. */
    static final long LATE = 3_600_000;

    private static final Pattern LINE = Pattern.compile("(\\S+) (\\S+)\n");

    final RedisStore store;
    final World world;
    final long tasks;
    final Set<Long> passed = new HashSet<>();

    CopiesRig(RedisStore store, World world, TaskSource source, int tasks, TaskSetLimits limits, int maxWorkers) {
        this.store = store;
        this.world = world;
        this.tasks = tasks;
        world.control.open(
                new TaskSetOpening(SET, "p", World.spec(source).speculating(true), limits, maxWorkers, 0, false));
    }

    String field(String name) {
        return store.ask(redis -> redis.hget(world.key(SET), name).thenApply(Optional::ofNullable))
                .orElse("");
    }

    private int number(String name) {
        String text = field(name);
        return text.isEmpty() ? 0 : Integer.parseInt(text);
    }

    /** By task: o, d, or n with the offer. */
    Map<String, String> states() {
        Map<String, String> states = new HashMap<>();
        Matcher line = LINE.matcher(field("copies"));
        while (line.find()) {
            assertThat(states.put(line.group(1), line.group(2)))
                    .as("task %s stands once", line.group(1))
                    .isNull();
        }
        return states;
    }

    static StepCall prepare(WorkerSession session, List<Settlement> settled, int claims, int slowness) {
        return World.prepare(session, SET, settled, World.places(claims), new Pace(slowness, 2));
    }

    static StepCall.Outcome.Done step(WorkerSession session, List<Settlement> settled, int claims) {
        return (StepCall.Outcome.Done) prepare(session, settled, claims, 0).run();
    }

    /** These tasks of the session have run for so long; answers those that it has to stop. */
    static Set<String> attend(WorkerSession session, List<Claim> claims, long ranMillis) {
        return attend(session, claims, ranMillis, 0);
    }

    static Set<String> attend(WorkerSession session, List<Claim> claims, long ranMillis, int slowness) {
        return World.enter(session, SET)
                .attend(
                        claims.stream()
                                .map(claim -> new RunningTask(claim.id(), 0, 0, ranMillis))
                                .toList(),
                        slowness);
    }

    /** Runs a task to the end, so that the mean is known. */
    void passOne(WorkerSession session) {
        Claim claim = step(session, List.of(), 1).claims().getFirst();
        step(session, List.of(new Settlement.Passed(claim, Duration.ofMillis(100))), 0);
        passed.add(World.id(claim));
    }

    /** Compares all counts with what the sessions hold. */
    void check() {
        String status = field("status");
        Map<String, String> states = states();
        assertThat(number("succeeded_count")).as("passes").isEqualTo(passed.size());
        int left = number("left");
        assertThat(left).as("left").isEqualTo(number("count") - number("succeeded_count") - number("failed_count"));
        if (!status.equals("running") && !status.equals("suspended")) {
            assertThat(states.values()).as("after the end").allMatch("d"::equals);
            assertThat(number("offered")).isZero();
            return;
        }
        Map<String, List<String>> holders = holders();
        long entries = holders.values().stream().mapToLong(List::size).sum();
        long copies =
                states.values().stream().filter(state -> "od".contains(state)).count();
        assertThat(entries).as("entries of all held: %s, %s", holders, states).isEqualTo(number("running") + copies);
        assertThat(number("offered")).as("offers").isEqualTo((int) (states.size() - copies));
        holders.forEach((id, sessions) -> assertThat(sessions)
                .as("holders of %s, which is %s", id, states.get(id))
                .hasSize("o".equals(states.get(id)) ? 2 : 1));
        assertThat(holders.keySet()).as("whatever has a state is held").containsAll(states.keySet());
        checkQueue(left, holders, states);
        checkReady(status, left);
    }

    private void checkQueue(int left, Map<String, List<String>> holders, Map<String, String> states) {
        List<String> queue = store.ask(redis -> redis.lrange(key("task_queue"), 0, -1));
        List<String> delayed = store.ask(redis -> redis.zrange(key("delayed"), 0, -1));
        List<String> waiting = new ArrayList<>(queue);
        waiting.addAll(delayed);
        assertThat(waiting).doesNotHaveDuplicates();
        int fresh = number("count") - number("cursor") - number("tail");
        assertThat(waiting.size() + fresh).as("what waits").isEqualTo(left - number("running"));
        holders.keySet().stream()
                .filter(id -> !"d".equals(states.get(id)))
                .forEach(id -> assertThat(waiting).doesNotContain(id));
        int most = number("max_trials");
        waiting.forEach(id ->
                assertThat(failedTrials(id)).as("task %s has a trial left", id).isLessThan(most));
    }

    private void checkReady(String status, int left) {
        int most = number("max_parallel");
        long copies =
                states().values().stream().filter(state -> "od".contains(state)).count();
        boolean room = most == 0 || number("running") + copies < most;
        boolean claimable = left - number("running") - number("delayed") > 0;
        boolean want = status.equals("running") && room && (claimable || number("offered") > 0);
        if (!want) {
            return;
        }
        if (number("max_workers") == 0 && (most == 0 || claimable)) {
            assertThat(field("ready")).as("ready, with work or offers").isEqualTo("1");
            long tokens = store.ask(redis -> redis.llen(world.keyspace.pool("p") + ":wake"));
            assertThat(tokens).isEqualTo(1);
        }
    }

    private int failedTrials(String id) {
        return store.ask(redis -> redis.hget(key("trouble"), id).thenApply(Optional::ofNullable))
                .map(text -> Integer.parseInt(text.substring(0, text.indexOf(':'))))
                .orElse(0);
    }

    private String key(String name) {
        return world.key(SET) + ":" + name;
    }

    private Map<String, List<String>> holders() {
        Map<String, List<String>> holders = new HashMap<>();
        String prefix = world.key(SET) + ":held:";
        for (String key : store.ask(redis -> redis.keys(prefix + "*"))) {
            store.ask(redis -> redis.hkeys(key)).stream()
                    .filter(id -> !id.equals("#"))
                    .forEach(id ->
                            holders.computeIfAbsent(id, _ -> new ArrayList<>()).add(key.substring(prefix.length())));
        }
        return holders;
    }

    /** Whether the record of tasks without a pass has exactly those. */
    void checkUnpassed() {
        assertThat(world.control.unpassed(SET))
                .isInstanceOfSatisfying(
                        UnpassedTasks.Known.class,
                        known -> assertThat(IntStream.range(0, (int) tasks)
                                        .filter(known::has)
                                        .mapToObj(Long::valueOf))
                                .containsExactlyElementsOf(IntStream.range(0, (int) tasks)
                                        .mapToObj(Long::valueOf)
                                        .filter(id -> !passed.contains(id))
                                        .toList()));
    }
}
