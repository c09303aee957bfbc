package dev.quiver.lifecycle.wires.idoit;

import static dev.quiver.lifecycle.wires.idoit.IdoitWorld.chain;
import static dev.quiver.lifecycle.wires.idoit.IdoitWorld.failed;
import static dev.quiver.lifecycle.wires.idoit.IdoitWorld.group;
import static dev.quiver.lifecycle.wires.idoit.IdoitWorld.iterator;
import static dev.quiver.lifecycle.wires.idoit.IdoitWorld.leaf;
import static dev.quiver.lifecycle.wires.idoit.IdoitWorld.passed;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.model.TreeNode;
import dev.quiver.lifecycle.wires.idoit.IdoitWorld.Worker;
import dev.quiver.lifecycle.worker.Claim;

/** Commands of the wire that another program sent, or that came late. */
class IdoitCommandsIT {

    private static final String EARLIER = "\"uid-of-an-earlier-task\"";

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private IdoitWorld world;
    private Worker worker;

    @BeforeEach
    void begin() {
        world = new IdoitWorld(REDIS);
        worker = world.worker("p", "mul", "walk");
    }

    @AfterEach
    void end() {
        world.close();
    }

    /** Sends a command to the task and lets it be run. */
    private void send(String task, String uid, String kind, String data) {
        String command = "{\"to\":\"" + task + "\",\"to_uid\":" + uid + ",\"type\":\"" + kind + "\",\"data\":" + data
                + ",\"rnd\":\"by hand\"}";
        world.store.ask(redis -> redis.zadd(world.prefix + "p:commands", 1, command));
        world.tick("p");
        worker.step(List.of(), 0);
        assertThat(world.store.<Double>ask(redis -> redis.zscore(world.prefix + "p:commands", command)))
                .as("the command has been run")
                .isNull();
    }

    private static TreeNode tree(String kind) {
        return switch (kind) {
            case "chain" -> chain(leaf("mul", 1), leaf("mul", 2));
            case "group" -> group(leaf("mul", 1), leaf("mul", 2));
            case "iterator" -> iterator("walk");
            default -> leaf("mul", 1);
        };
    }

    /** A tree that has begun; its tasks are claimed, so that nothing but the command changes it. */
    private Map<String, String> begun(String kind) {
        world.begin("t", tree(kind));
        worker.claim();
        return world.task("t");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "chain | result | {\"id\":\"t.1\",\"result\":5}",
                "group | result | {\"id\":\"t.1\",\"result\":5}",
                "iterator | result | {\"id\":\"t.1\"}",
                "chain | error | {\"error\":{\"message\":\"no\"}}",
                "task | error | {\"error\":{\"message\":\"no\"}}",
                "chain | progress | 1",
                "task | progress | 1"
            })
    void commandToAnEarlierTaskOfTheSameIdChangesNothing(String of, String kind, String data) {
        Map<String, String> before = begun(of);
        List<String> keys = world.keys();
        send("t", EARLIER, kind, data);
        assertThat(world.task("t")).isEqualTo(before);
        assertThat(world.keys()).isEqualTo(keys);
        send("t", before.get("uid"), kind, data);
        assertThat(world.task("t")).as("the same to this task").isNotEqualTo(before);
    }

    @Test
    void requestToCallAnEarlierIteratorCallsNobody() {
        Map<String, String> before = begun("iterator");
        worker.pass(worker.held.getFirst(), "{\"state\":1,\"tasks\":[{\"handler\":\"mul\",\"args\":[1]}]}");
        worker.claim();
        send("t", EARLIER, "iterate", "null");
        assertThat(worker.claim()).isEmpty();
        send("t", before.get("uid"), "iterate", "null");
        assertThat(worker.claimOne().id()).isEqualTo("t");
    }

    @Test
    void commandThatStartsAnEarlierTaskStartsNothing() {
        world.begin("t", chain(leaf("mul", 1), leaf("mul", 2)));
        worker.claim();
        send("t.2", EARLIER, "activate", "null");
        assertThat(world.state("t.2")).isEqualTo("\"waiting\"");
        assertThat(worker.claim()).isEmpty();
    }

    /** A program asks for it where a result did not arrive. */
    @Test
    void groupCheckEndsAGroupOnceAllOfItsChildrenHave() {
        Map<String, String> root = begun("group");
        send("t", root.get("uid"), "group_check", "null");
        assertThat(world.state("t")).as("no child has ended").isEqualTo("\"idle\"");
        worker.step(
                List.copyOf(worker.held).stream()
                        .map(claim -> passed(claim, claim.id().equals("t.1") ? "7" : "8"))
                        .toList(),
                0);
        // As if the program that took the last result had died before it counted it.
        world.store.ask(redis -> redis.hset(
                world.prefix + "t", Map.of("state", "\"idle\"", "children_finished", "2", "quiver_children", "2")));
        world.store.ask(redis -> redis.hdel(world.prefix + "t", "result"));
        world.store.ask(redis -> redis.sadd(world.prefix + "idle", "t"));
        world.store.ask(redis -> redis.zrem(world.prefix + "finished", "t"));
        send("t", EARLIER, "group_check", "null");
        assertThat(world.state("t")).isEqualTo("\"idle\"");
        send("t", root.get("uid"), "group_check", "null");
        assertThat(world.task("t")).containsEntry("state", "\"finished\"").containsEntry("result", "[7,8]");
    }

    @Test
    void groupCheckFailsWithoutOneOfItsChildren() {
        Map<String, String> root = begun("group");
        world.store.ask(redis -> redis.hset(world.prefix + "t", "children_finished", "2"));
        world.store.ask(redis -> redis.del(world.prefix + "t.1"));
        send("t", root.get("uid"), "group_check", "null");
        assertThat(world.task("t").get("error")).contains("terminating task because children deleted");
    }

    @Test
    void groupCheckOfWhatIsNoGroupEndsNothing() {
        Map<String, String> before = begun("chain");
        send("t", before.get("uid"), "group_check", "null");
        assertThat(world.task("t")).isEqualTo(before);
    }

    @Test
    void taskThatIsOverDoesNotEndAgain() {
        Map<String, String> begun = begun("task");
        worker.pass(worker.held.getFirst(), "7");
        Map<String, String> over = world.task("t");
        Double at = world.store.ask(redis -> redis.zscore(world.prefix + "finished", "t"));
        send("t", begun.get("uid"), "error", "{\"error\":{\"message\":\"late\"}}");
        send("t", begun.get("uid"), "progress", "4");
        assertThat(world.task("t")).isEqualTo(over);
        assertThat(world.store.<Double>ask(redis -> redis.zscore(world.prefix + "finished", "t")))
                .isEqualTo(at);
    }

    @Test
    void parentThatFailedKeepsItsErrorWhenAnotherChildFails() {
        begun("group");
        List<Claim> both = List.copyOf(worker.held);
        String uid = world.task("t").get("uid");
        for (int trial = 0; trial < 2; trial++) {
            worker.step(List.of(failed(trial == 0 ? both.getFirst() : worker.claimOne())), 0);
            world.hurry("restart");
            world.tick("p");
        }
        String first = world.task("t").get("error");
        assertThat(first).contains("\"no\"");
        send("t", uid, "error", "{\"error\":{\"message\":\"second\"}}");
        assertThat(world.task("t")).containsEntry("error", first);
    }
}
