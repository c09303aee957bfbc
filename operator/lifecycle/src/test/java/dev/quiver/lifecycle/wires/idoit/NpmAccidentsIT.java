package dev.quiver.lifecycle.wires.idoit;

import static dev.quiver.lifecycle.wires.idoit.Spec.chain;
import static dev.quiver.lifecycle.wires.idoit.Spec.task;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;

/** Functions of npm's idoit that change their own lock, and programs that stand still beyond it. Npm works at the pool n. */
class NpmAccidentsIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private IdoitWorld world;
    private final List<AutoCloseable> open = new ArrayList<>();

    @BeforeEach
    void begin() {
        world = new IdoitWorld(REDIS, Duration.ofMillis(1500), IdoitInteropIT.TYPES);
        opened(new Hands(world, "p", Hands.ALL));
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

    private NpmIdoit npm() {
        return opened(NpmIdoit.worker(REDIS.process().port(), world.prefix, "n"));
    }

    private Map<String, String> finished(String id) {
        Awaitility.await(id)
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(world.state(id)).isEqualTo("\"finished\""));
        assertThat(world.task(id)).doesNotContainKey("error");
        return world.task(id);
    }

    /** Npm's function gives itself back, in the middle of a chain whose end is ours. */
    @Test
    void functionThatRestartsItself() {
        String id = npm().run(chain("p", task("again", "n", 7), task("last", "p")));
        Map<String, String> root = finished(id);
        assertThat(root).containsEntry("result", "[7]").containsEntry("progress", "2");
        String child = JsJson.read(root.get("children")).get(0).textValue();
        assertThat(world.task(child)).containsEntry("retries", "1").containsEntry("result", "[7]");
    }

    /** The watchdogs of both sides look at the lock that npm's function moved. */
    @Test
    void functionThatMovesItsDeadline() {
        String id = npm().run(task("late", "n", 3000));
        assertThat(finished(id)).containsEntry("retries", "0").containsEntry("result", "3000");
    }

    @Test
    void programThatStoodStillBeyondItsLockChangesNothing() {
        NpmIdoit first = npm();
        String id = first.run(task("slow", "n", 700));
        Awaitility.await().until(() -> "\"locked\"".equals(world.state(id)));
        first.pause();
        NpmIdoit second = npm();
        Map<String, String> task = finished(id);
        assertThat(task).containsEntry("result", "700").containsEntry("retries", "0");
        first.resume();
        for (int i = 0; i < 20; i++) {
            finished(second.run(task("echo", i % 2 == 0 ? "n" : "p", i)));
        }
        assertThat(first.get(id).get("uid")).isEqualTo(JsJson.read(task.get("uid")));
        assertThat(world.task(id)).as("after its late answer").isEqualTo(task);
    }
}
