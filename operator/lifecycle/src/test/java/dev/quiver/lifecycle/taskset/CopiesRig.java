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

import io.lettuce.core.ScriptOutputType;

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

    /** By task: o, d, or n with the offer. */
    Map<String, String> states() {
        return states(field("copies"));
    }

    private static Map<String, String> states(String copies) {
        Map<String, String> states = new HashMap<>();
        Matcher line = LINE.matcher(copies);
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
        Look look = Look.at(store, world, SET);
        String status = look.field("status");
        Map<String, String> states = states(look.field("copies"));
        assertThat(look.number("succeeded_count")).as("passes").isEqualTo(passed.size());
        int left = look.number("left");
        assertThat(left)
                .as("left")
                .isEqualTo(look.number("count") - look.number("succeeded_count") - look.number("failed_count"));
        if (!status.equals("running") && !status.equals("suspended")) {
            assertThat(states.values()).as("after the end").allMatch("d"::equals);
            assertThat(look.number("offered")).isZero();
            return;
        }
        long entries = look.holders().values().stream().mapToLong(List::size).sum();
        long copies =
                states.values().stream().filter(state -> "od".contains(state)).count();
        assertThat(entries)
                .as("entries of all held: %s, %s", look.holders(), states)
                .isEqualTo(look.number("running") + copies);
        assertThat(look.number("offered")).as("offers").isEqualTo((int) (states.size() - copies));
        look.holders()
                .forEach((id, sessions) -> assertThat(sessions)
                        .as("holders of %s, which is %s", id, states.get(id))
                        .hasSize("o".equals(states.get(id)) ? 2 : 1));
        assertThat(look.holders().keySet()).as("whatever has a state is held").containsAll(states.keySet());
        checkQueue(look, left, states);
        checkReady(look, status, left, copies);
    }

    private static void checkQueue(Look look, int left, Map<String, String> states) {
        assertThat(look.waiting()).doesNotHaveDuplicates();
        int fresh = look.number("count") - look.number("cursor") - look.number("tail");
        assertThat(look.waiting().size() + fresh).as("what waits").isEqualTo(left - look.number("running"));
        look.holders().keySet().stream()
                .filter(id -> !"d".equals(states.get(id)))
                .forEach(id -> assertThat(look.waiting()).doesNotContain(id));
        int most = look.number("max_trials");
        look.waiting()
                .forEach(id -> assertThat(look.failedTrials(id))
                        .as("task %s has a trial left", id)
                        .isLessThan(most));
    }

    private static void checkReady(Look look, String status, int left, long copies) {
        int most = look.number("max_parallel");
        boolean room = most == 0 || look.number("running") + copies < most;
        boolean claimable = left - look.number("running") - look.number("delayed") > 0;
        boolean want = status.equals("running") && room && (claimable || look.number("offered") > 0);
        if (want && look.number("max_workers") == 0 && (most == 0 || claimable)) {
            assertThat(look.field("ready")).as("ready, with work or offers").isEqualTo("1");
            assertThat(look.tokens()).isEqualTo(1);
        }
    }

    /**
     * A set at one moment, by one call.
     *
     * @param waiting the ids of its queue and of what is delayed
     * @param trouble by id its failed trials and losses
     * @param holders by id the sessions that hold it
     * @param tokens that stand for work of the pool
     */
    private record Look(
            Map<String, String> fields,
            List<String> waiting,
            Map<String, String> trouble,
            Map<String, List<String>> holders,
            long tokens) {

        private static final String SCRIPT = """
                local held = {}
                for _, key in ipairs(redis.call('KEYS', KEYS[1] .. ':held:*')) do
                  held[#held + 1] = key
                  held[#held + 1] = redis.call('HKEYS', key)
                end
                return {
                  redis.call('HGETALL', KEYS[1]), redis.call('LRANGE', KEYS[1] .. ':task_queue', 0, -1),
                  redis.call('ZRANGE', KEYS[1] .. ':delayed', 0, -1), redis.call('HGETALL', KEYS[1] .. ':trouble'),
                  held, redis.call('LLEN', KEYS[2])
                }""";

        static Look at(RedisStore store, World world, String set) {
            String key = world.key(set);
            List<Object> all = store.ask(
                    redis -> redis.eval(SCRIPT, ScriptOutputType.MULTI, key, world.keyspace.pool("p") + ":wake"));
            List<String> waiting = new ArrayList<>(texts(all.get(1)));
            waiting.addAll(texts(all.get(2)));
            Map<String, List<String>> holders = new HashMap<>();
            List<?> held = (List<?>) all.get(4);
            for (int i = 0; i < held.size(); i += 2) {
                String session = ((String) held.get(i)).substring((key + ":held:").length());
                texts(held.get(i + 1)).stream()
                        .filter(id -> !id.equals("#"))
                        .forEach(id -> holders.computeIfAbsent(id, _ -> new ArrayList<>())
                                .add(session));
            }
            return new Look(pairs(all.get(0)), waiting, pairs(all.get(3)), holders, (Long) all.get(5));
        }

        private static List<String> texts(Object list) {
            return ((List<?>) list).stream().map(String.class::cast).toList();
        }

        private static Map<String, String> pairs(Object list) {
            List<String> words = texts(list);
            Map<String, String> pairs = new HashMap<>();
            for (int i = 0; i < words.size(); i += 2) {
                pairs.put(words.get(i), words.get(i + 1));
            }
            return pairs;
        }

        String field(String name) {
            return fields.getOrDefault(name, "");
        }

        int number(String name) {
            String text = field(name);
            return text.isEmpty() ? 0 : Integer.parseInt(text);
        }

        int failedTrials(String id) {
            String text = trouble.getOrDefault(id, "0:");
            return Integer.parseInt(text.substring(0, text.indexOf(':')));
        }
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
