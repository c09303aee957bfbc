package dev.quiver.lifecycle.wires.idoit;

import static dev.quiver.lifecycle.wires.idoit.Spec.chain;
import static dev.quiver.lifecycle.wires.idoit.Spec.group;
import static dev.quiver.lifecycle.wires.idoit.Spec.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.JsonNode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.model.TaskTree;
import dev.quiver.lifecycle.task.model.Trees.Change;

/** Quiver and npm's idoit on one prefix: npm works at the pool n, Quiver at p and q. */
class IdoitInteropIT {
    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    static final IdoitType[] TYPES = Hands.ALL.stream()
            .map(name -> new IdoitType(name, name, 2, Duration.ofMillis(20), Duration.ofMillis(1500)))
            .toArray(IdoitType[]::new);

    private IdoitWorld world;
    private final List<AutoCloseable> open = new ArrayList<>();

    @BeforeEach
    void begin() {
        world = new IdoitWorld(REDIS, Duration.ofMillis(1500), TYPES);
    }

    @AfterEach
    void end() throws Exception {
        for (AutoCloseable part : open.reversed()) {
            part.close();
        }
        world.close();
    }

    private <T extends AutoCloseable> T opened(T part) {
        open.add(part);
        return part;
    }

    private NpmIdoit producer() {
        return opened(NpmIdoit.idle(REDIS.process().port(), world.prefix));
    }

    private NpmIdoit npm(String... pools) {
        return opened(NpmIdoit.worker(REDIS.process().port(), world.prefix, pools));
    }

    private Hands hands(String pool) {
        return opened(new Hands(world, pool, Hands.ALL));
    }

    private void awaitState(String id, String state) {
        Awaitility.await(id + " is " + state)
                .atMost(Duration.ofSeconds(40))
                .untilAsserted(() -> assertThat(world.state(id)).isEqualTo("\"" + state + "\""));
    }

    private String result(String id) {
        awaitState(id, "finished");
        assertThat(world.task(id)).doesNotContainKey("error");
        return world.task(id).get("result");
    }

    private void awaitQuiet() {
        Awaitility.await("no commands are left")
                .atMost(Duration.ofSeconds(40))
                .untilAsserted(
                        () -> assertThat(new FinalState(world).otherKeys()).isSubsetOf("finished"));
    }

    @Test
    void writesJsonAsJavaScriptDoes() {
        NpmIdoit npm = producer();
        Random random = new Random(7);
        for (int i = 0; i < 500; i++) {
            String text = randomJson(random, 3);
            assertThat(JsJson.rewritten(text)).as(text).isEqualTo(npm.stringify(text));
        }
    }

    private static String randomJson(Random random, int depth) {
        return switch (random.nextInt(depth > 0 ? 9 : 6)) {
            case 0 ->
                List.of("null", "true", "false", "-0", "1e21", "0.1e-6", "1E400")
                        .get(random.nextInt(7));
            case 1 ->
                Double.toString(Double.longBitsToDouble(random.nextLong())).replaceAll("NaN|-?Infinity", "1.50");
            case 2 -> Long.toString(random.nextLong());
            case 3 ->
                new BigDecimal(random.nextInt(100_000))
                        .movePointLeft(random.nextInt(12))
                        .toString();
            case 4, 5 -> randomString(random);
            case 6 ->
                IntStream.range(0, random.nextInt(4))
                        .mapToObj(i -> randomJson(random, depth - 1))
                        .collect(Collectors.joining(" , ", "[", "]"));
            default ->
                IntStream.range(0, random.nextInt(5))
                        .mapToObj(
                                i -> (random.nextBoolean() ? "\"" + random.nextInt(20) + "\"" : "\"k\\u00e9" + i + "\"")
                                        + ": " + randomJson(random, depth - 1))
                        .collect(Collectors.joining(",", "{", "}"));
        };
    }

    private static String randomString(Random random) {
        List<String> parts = List.of(
                "a",
                "\\u00e9",
                "é",
                "\\n",
                "\\u001f",
                "\\\"",
                "\\/",
                "\\ud83d\\ude00",
                "\\ud800",
                "\\udc00",
                "\\u2028",
                "\u2028",
                "\\u007f",
                "__proto__x");
        return IntStream.range(0, random.nextInt(4))
                .mapToObj(i -> parts.get(random.nextInt(parts.size())))
                .collect(Collectors.joining("", "\"", "\""));
    }

    @Test
    void npmsTasksRunOnOurWorkers() {
        NpmIdoit npm = producer();
        hands("p");
        assertThat(result(npm.run(task("echo", "p", "\"ü\\u2028\"", "1.5e300", "{\"b\":0,\"1\":[]}"))))
                .isEqualTo("[\"ü\u2028\",1.5e+300,{\"1\":[],\"b\":0}]");
        assertThat(result(npm.run(task("nothing", "p")))).isNull();
        assertThat(result(npm.run(task("flaky", "p", 1)))).isEqualTo("[1]");
        assertThat(result(npm.run(chain("p", task("sum", "p", 2, 3), task("sum", "p", 10), task("last", "p")))))
                .isEqualTo("15");
        assertThat(result(npm.run(group("p", task("sum", "p", 1), task("nothing", "p"), task("last", "p", "\"\"")))))
                .isEqualTo("[1,null,\"\"]");
        String failed = npm.run(chain("p", task("fail", "p", "\"way\""), task("echo", "p")));
        awaitState(failed, "finished");
        JsonNode seen = npm.get(failed);
        assertThat(seen.path("error").path("message").asText()).isEqualTo("no way");
        awaitQuiet();
    }

    @Test
    void ourTasksRunOnNpmsWorkers() {
        npm("n");
        hands("p");
        create("t1", task("echo", "n", "\"ü\"", "[1.50]"));
        create("t2", chain("p", task("sum", "n", 2), task("sum", "p", 3), task("sum", "n", 4)));
        create("t3", group("p", task("sum", "n", 1), chain("p", task("fail", "n", 7))));
        create("t4", group("p", task("steps", "n"), task("steps", "p")));
        assertThat(result("t1")).isEqualTo("[\"ü\",[1.5]]");
        assertThat(result("t2")).isEqualTo("9");
        awaitState("t3", "finished");
        assertThat(world.task("t3").get("error")).contains("\"no 7\"");
        assertThat(result("t4")).isEqualTo("[0,0]");
        assertThat(world.task("t4")).containsEntry("progress", "6").containsEntry("total", "6");
        awaitQuiet();
    }

    private void create(String id, Spec spec) {
        world.trees.create(TaskTree.of(id, spec.node()));
    }

    @Test
    void compositesOfEitherSideRunTasksOfBoth() {
        NpmIdoit producer = producer();
        npm("n");
        hands("p");
        for (String owner : List.of("n", "p")) {
            String other = owner.equals("n") ? "p" : "n";
            Spec mixed = chain(
                    owner,
                    task("sum", other, 1),
                    group(other, task("sum", owner, 1), task("sum", other, 2), task("last", owner)),
                    task("walk", owner, 7, "\"echo\"", "\"" + other + "\""),
                    task("walk", other, 4, "\"echo\"", "\"" + owner + "\""),
                    task("sum", owner, 5));
            String id = producer.run(mixed);
            assertThat(result(id)).as(owner).isEqualTo("5");
            FinalState all = new FinalState(world);
            assertThat(all.of(id).lines().filter(line -> line.contains("name=\"echo\"")))
                    .hasSize(11);
        }
        awaitQuiet();
    }

    @Test
    void bothConsumeTheCommandsOfOnePool() {
        NpmIdoit producer = producer();
        npm("p");
        opened(new Hands(world, "p", List.of())); // serves nothing, and runs commands all the same
        List<String> roots = IntStream.range(0, 100)
                .mapToObj(i -> producer.run(
                        chain("p", task("sum", "p", i), group("p", task("sum", "p", 1), task("last", "p")))))
                .toList();
        for (int i = 0; i < roots.size(); i++) {
            assertThat(result(roots.get(i))).isEqualTo("[1,null]");
        }
        awaitQuiet();
    }

    @Test
    void eitherSideCancels() {
        NpmIdoit producer = producer();
        npm("n");
        hands("p");
        Spec held =
                group("p", task("hold", "q"), task("slow", "p", 3000), task("slow", "n", 1000), task("echo", "n", 1));
        for (boolean ours : List.of(true, false)) {
            String id = producer.run(held);
            FinalState[] seen = new FinalState[1];
            Awaitility.await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
                seen[0] = new FinalState(world);
                assertThat(seen[0].of(id)).contains("state=\"locked\"", "state=\"startable\"", "result=[1]");
            });
            if (ours) {
                assertThat(world.trees.change(id, Change.CANCEL)).isTrue();
            } else {
                producer.cancel(id);
            }
            String after = new FinalState(world).of(id);
            assertThat(after.lines().filter(line -> line.contains("idoit error: task canceled CANCELED")))
                    .hasSize(4);
            String child = JsJson.read(world.task(id).get("children")).get(0).textValue();
            assertThatIllegalStateException().isThrownBy(() -> producer.cancel(child));
            Awaitility.await()
                    .atMost(Duration.ofSeconds(20))
                    .untilAsserted(
                            () -> assertThat(new FinalState(world).otherKeys()).isSubsetOf("finished"));
            assertThat(new FinalState(world).of(id)).isEqualTo(after);
        }
    }

    @Test
    void locksOfEitherSideAreTakenBackByTheOther() {
        NpmIdoit producer = producer();
        int port = REDIS.process().port();
        Duration lock = Duration.ofSeconds(8);
        NpmIdoit npm = opened(NpmIdoit.worker(port, world.prefix, lock, "n"));
        Hands hands = hands("p");
        String ofNpm = producer.run(task("slow", "n", 5000)); // longer than a busy machine takes to see that it runs
        awaitState(ofNpm, "locked");
        npm.kill();
        String ofOurs = producer.run(task("slow", "p", 4000)); // longer than its lock
        awaitState(ofOurs, "locked");
        opened(NpmIdoit.worker(port, world.prefix, lock, "n"));
        assertThat(result(ofNpm)).isEqualTo("5000");
        assertThat(result(ofOurs)).isEqualTo("4000");
        assertThat(hands.runs).hasValue(1);
        awaitQuiet();
    }

    @Test
    void nameOfItsOwnIsTakenOnce() {
        NpmIdoit producer = producer();
        Spec once = task("once", "p", 5);
        String id = producer.run(once);
        assertThat(producer.run(once)).isEqualTo(id);
        hands("p");
        assertThat(result(id)).isEqualTo("[5]");
        String uid = world.task(id).get("uid");
        assertThat(producer.run(once)).isEqualTo(id);
        assertThat(result(id)).isEqualTo("[5]");
        assertThat(world.task(id).get("uid")).as("made anew").isNotEqualTo(uid);
        awaitQuiet();
    }

    @Test
    void commandsToEarlierLivesAndToTheDeadKeepNothingBack() {
        NpmIdoit producer = producer();
        String pool = world.prefix + "p:commands";
        for (int i = 0; i < 100; i++) {
            String raw = "{\"to\":\"dead-" + i + "\",\"to_uid\":\"x\",\"type\":\"activate\",\"rnd\":\"" + i + "\"}";
            world.store.ask(redis -> redis.zadd(pool, 1, raw));
        }
        String id = producer.run(task("echo", "p", 1));
        String stale = "{\"to\":\"" + id + "\",\"to_uid\":\"other\",\"type\":\"activate\",\"rnd\":\"s\"}";
        world.store.ask(redis -> redis.zadd(pool, 2, stale));
        world.store.ask(redis -> redis.zadd(pool, 3, "no JSON"));
        hands("p");
        assertThat(result(id)).isEqualTo("[1]");
        Awaitility.await().untilAsserted(() -> assertThat(members(pool)).containsExactly("no JSON"));
        world.store.ask(redis -> redis.del(pool));
    }

    private List<String> members(String zset) {
        return world.store.ask(redis -> redis.zrange(zset, 0, -1));
    }

    /** A tree of both sides, over, and neither side's program left. */
    private void finishedTree() throws Exception {
        NpmIdoit npm = npm("n");
        Hands hands = hands("p");
        result(npm.run(group("p", task("sum", "n", 1), task("walk", "p", 4, "\"echo\"", "\"n\""))));
        awaitQuiet();
        npm.close();
        hands.close();
        world.hurry("finished");
        assertThat(world.keys()).hasSizeGreaterThan(5);
    }

    private void awaitNothing() {
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(world.keys()).isEmpty());
    }

    @Test
    void npmAloneForgetsWhatIsOver() throws Exception {
        finishedTree();
        npm("elsewhere");
        awaitNothing();
    }

    @Test
    void quiverAloneForgetsWhatIsOver() throws Exception {
        finishedTree();
        hands("q");
        awaitNothing();
    }

    /** A child whose time to stay ends before the group's: the group fails with the words of npm, whoever runs it. */
    @Test
    void groupOfEitherSideFailsWhenAnEndedChildIsForgotten() {
        NpmIdoit npm = npm("n");
        hands("p");
        List<String> groups = List.of(
                npm.run(group("n", task("echo", "n"), task("sum", "q", 1))),
                npm.run(group("p", task("echo", "p"), task("sum", "q", 1))));
        for (String group : groups) {
            String ended = JsJson.read(world.task(group).get("children")).get(0).textValue();
            awaitState(ended, "finished");
            Awaitility.await()
                    .untilAsserted(() -> assertThat(world.task(group)).containsEntry("children_finished", "1"));
            world.store.ask(redis -> redis.zadd(world.prefix + "finished", 1, ended));
            Awaitility.await()
                    .atMost(Duration.ofSeconds(20))
                    .untilAsserted(() -> assertThat(world.task(ended)).isEmpty());
        }
        hands("q");
        List<String> ends = new ArrayList<>();
        for (String group : groups) {
            awaitState(group, "finished");
            ends.add(new FinalState(world).of(group));
        }
        assertThat(ends.getFirst())
                .contains("Group error: terminating task because children deleted (task: group")
                .contains("  gone")
                .contains("result=1");
        assertThat(ends.getLast()).isEqualTo(ends.getFirst());
        awaitQuiet();
    }

    @Test
    void postponedTaskWaits() {
        NpmIdoit producer = producer();
        hands("p");
        String id = producer.postpone(task("echo", "p", 1), 1500);
        world.trees.create(TaskTree.of("now", task("echo", "p", 2).node()));
        assertThat(result("now")).isEqualTo("[2]");
        assertThat(world.state(id)).isEqualTo("\"waiting\"");
        assertThat(result(id)).isEqualTo("[1]");
    }
}
