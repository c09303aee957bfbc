package dev.quiver.lifecycle.task.idoit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.TaskNode;
import dev.quiver.lifecycle.worker.Claim;

/**
 * The keys and fields that a task has in each state, as recordings of npm's idoit 4.0.0 show them, but for the additions.
 * Here Quiver alone creates the tasks and works at them.
 */
class IdoitStatesIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    /** What a finished task stays, three days. */
    private static final String REMOVE_DELAY = "259200000";

    private IdoitWorld world;
    private IdoitWorld.Worker worker;

    @BeforeEach
    void begin() {
        world = new IdoitWorld(REDIS);
        worker = world.worker("p", "mul", "flaky", "boom");
    }

    @AfterEach
    void end() {
        world.close();
    }

    /** Which keys there are, and what is in them but for tasks and scores. */
    private Map<String, String> keys() {
        Map<String, String> keys = new TreeMap<>();
        for (String key : world.keys()) {
            String name = key.substring(world.prefix.length());
            switch (world.store.ask(redis -> redis.type(key))) {
                case "set" -> keys.put(name, "set " + world.store.ask(redis -> redis.smembers(key)));
                case "zset" -> keys.put(name, "zset " + world.store.ask(redis -> redis.zrange(key, 0, -1)));
                default -> assertThat(world.task(name)).isNotEmpty();
            }
        }
        return keys;
    }

    /** A task without uid and without additions. */
    private Map<String, String> task(String id) {
        Map<String, String> task = new TreeMap<>(Map.copyOf(world.task(id)));
        assertThat(task.remove("uid")).matches("\"[A-Za-z0-9+/]{28}\"");
        task.keySet().removeIf(field -> field.startsWith("quiver"));
        return task;
    }

    private static Map<String, String> single(String name, String args, String state, String... more) {
        Map<String, String> task = new TreeMap<>(Map.of(
                "id", "\"t\"",
                "name", "\"" + name + "\"",
                "pool", "\"p\"",
                "retries", "0",
                "total", "1",
                "progress", "0",
                "state", "\"" + state + "\"",
                "args", args,
                "removeDelay", REMOVE_DELAY));
        for (int i = 0; i < more.length; i += 2) {
            task.put(more[i], more[i + 1]);
        }
        return task;
    }

    @Test
    void plainTask() {
        world.begin("t", IdoitWorld.leaf("mul", 6, 7));
        assertThat(task("t")).isEqualTo(single("mul", "[6,7]", "waiting"));
        assertThat(keys()).hasSize(2).containsEntry("waiting", "set [t]");
        assertThat(keys().get("p:commands"))
                .matches(
                        "zset \\[\\{\"to\":\"t\",\"to_uid\":\"[^\"]{28}\",\"type\":\"activate\",\"rnd\":\"[^\"]{28}\"}]");
        worker.step(List.of(), 0);
        assertThat(task("t")).isEqualTo(single("mul", "[6,7]", "startable"));
        assertThat(keys()).isEqualTo(Map.of("p:startable", "set [t]"));
        Claim claim = worker.claimOne();
        assertThat(task("t")).isEqualTo(single("mul", "[6,7]", "locked"));
        assertThat(keys()).isEqualTo(Map.of("locked", "zset [t]"));
        worker.pass(claim, "42");
        assertThat(task("t")).isEqualTo(single("mul", "[6,7]", "finished", "progress", "1", "result", "42"));
        assertThat(keys()).isEqualTo(Map.of("finished", "zset [t]"));
    }

    @Test
    void taskThatFailsOnce() {
        world.begin("t", IdoitWorld.leaf("flaky"));
        worker.step(List.of(IdoitWorld.failed(worker.claimOne())), 0);
        assertThat(task("t")).isEqualTo(single("flaky", "[]", "restart", "retries", "1"));
        assertThat(keys()).isEqualTo(Map.of("restart", "zset [t]"));
        world.hurry("restart");
        world.tick("p");
        assertThat(task("t")).isEqualTo(single("flaky", "[]", "startable", "retries", "1"));
        assertThat(keys()).isEqualTo(Map.of("p:startable", "set [t]"));
        worker.pass(worker.claimOne(), "\"ok\"");
        assertThat(task("t"))
                .isEqualTo(single("flaky", "[]", "finished", "retries", "1", "progress", "1", "result", "\"ok\""));
        assertThat(keys()).isEqualTo(Map.of("finished", "zset [t]"));
    }

    @Test
    void taskThatFails() {
        world.begin("t", new TaskNode.Leaf("p", Optional.of("boom"), 1, 1, IdoitWorld.body("boom")));
        worker.step(List.of(IdoitWorld.failed(worker.claimOne())), 0);
        Map<String, String> task = task("t");
        assertThat(JsJson.read(task.remove("error")).properties())
                .extracting(Map.Entry::getKey)
                .as("npm's have a stack, too: that of a function")
                .contains("name", "message");
        assertThat(task).isEqualTo(single("boom", "[]", "finished"));
        assertThat(keys()).isEqualTo(Map.of("finished", "zset [t]"));
    }

    /** The result before a task is its last argument. */
    @Test
    void chain() {
        world.begin("t", IdoitWorld.chain(IdoitWorld.leaf("mul", 2, 3), IdoitWorld.leaf("mul", 7)));
        worker.pass(worker.claimOne(), "6");
        Claim second = worker.claimOne();
        assertThat(IdoitWorld.arguments(second)).isEqualTo("[7,6]");
        worker.pass(second, "42");
        worker.step(List.of(), 0);
        Map<String, String> root = task("t");
        List<String> children = JsJson.read(root.remove("children"))
                .valueStream()
                .map(child -> child.textValue())
                .toList();
        assertThat(root)
                .isEqualTo(single(
                        "chain",
                        "[null]",
                        "finished",
                        "total",
                        "2",
                        "progress",
                        "2",
                        "children_finished",
                        "2",
                        "result",
                        "42"));
        assertThat(task(children.get(1)))
                .containsEntry("parent", "\"t\"")
                .containsEntry("parent_pool", "\"p\"")
                .containsEntry("parent_uid", world.task("t").get("uid"))
                .containsEntry("args", "[7,6]")
                .containsEntry("result", "42");
        assertThat(keys()).containsOnlyKeys("finished");
        assertThat(children)
                .hasSize(2)
                .allSatisfy(child -> assertThat(keys().get("finished")).contains(child));
    }
}
