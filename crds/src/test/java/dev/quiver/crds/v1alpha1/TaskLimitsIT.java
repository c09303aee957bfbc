package dev.quiver.crds.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.crds.apiserver.ApiServer;

/**
 * A Task just within its bounds is accepted, and within what the API server lets rules cost at run time. One above a
 * bound is refused. Each that is accepted is changed once: an update costs twice as much.
 */
@ExtendWith(ApiServer.class)
@Timeout(120)
class TaskLimitsIT {
    private final KubernetesClient client;

    TaskLimitsIT(KubernetesClient client) {
        this.client = client;
    }

    @Test
    void acceptsTheLongestNames() {
        accepts("t".repeat(Task.MAX_NAME_LENGTH), List.of(TaskNode.ofHandler("n".repeat(63), "h".repeat(128))));
    }

    @Test
    void acceptsAThousandNodesOfAllThatAFunctionMayHave() {
        var nodes = groupOf(i -> TaskNodeBuilder.builder()
                .name("n" + i)
                .handler("h")
                .args(List.of(text("https://example.org/" + i), number(i)))
                .maxTrials(5)
                .backoff(Backoff.DEFAULT)
                .activeDeadlineSeconds(604_800)
                .total(10)
                .build());
        accepts("functions", nodes);
    }

    @Test
    void acceptsAThousandNodesOfManyWords() {
        var words = Collections.nCopies(40, "x");
        accepts("words", groupOf(i -> TaskNode.ofCommand("n" + i, words.toArray(String[]::new))));
    }

    @Test
    void acceptsAThousandNodesOfManyVariables() {
        var env = IntStream.range(0, 6).mapToObj(i -> new EnvEntry("E" + i, "")).toList();
        var nodes = groupOf(i -> TaskNodeBuilder.builder(TaskNode.ofHandler("n" + i, "h"))
                .env(env)
                .build());
        accepts("variables", nodes);
    }

    @Test
    void acceptsAThousandNodesOfManyTags() {
        var tags = IntStream.range(0, 8).mapToObj(i -> "conversation:" + i).toList();
        accepts(
                "ranks",
                groupOf(i -> TaskNodeBuilder.builder(TaskNode.ofHandler("n" + i, "h"))
                        .relPriority(-99_999)
                        .tags(tags)
                        .fairnessKey("acme")
                        .build()));
    }

    @Test
    void acceptsAThousandIterators() {
        accepts("iterators", groupOf(i -> TaskNode.ofIterator("n" + i, TaskIterator.ofHandler("walk", number(i)))));
    }

    @Test
    void acceptsAThousandNodesOfOtherPrograms() {
        var nodes = groupOf(i -> TaskNodeBuilder.builder(TaskNode.ofHandler("n" + i, "h"))
                .foreignPool("node")
                .build());
        create("foreign", spec(nodes).wire(Wire.Idoit).root("all"));
        cancel("foreign");
    }

    /** The graph refuses it; the server must bear it. */
    @Test
    void acceptsAsManyNamesAsThereIsRoomFor() {
        var names = IntStream.range(0, 1000).mapToObj(i -> "n" + i).toArray(String[]::new);
        var few = List.of(names).subList(0, 25).toArray(String[]::new);
        create(
                "names",
                spec(IntStream.range(0, 1000)
                        .mapToObj(i -> TaskNode.ofChain("n" + i, i == 0 ? names : few))
                        .toList()));
        cancel("names");
    }

    @Test
    void acceptsTheLargestSpec() {
        int frame = "[{'name':'a','handler':'h','args':['']}]".length();
        var nodes = List.of(TaskNode.ofHandler("a", "h", text("x".repeat(TaskGraph.MAX_BYTES - frame))));
        assertThat(TaskGraph.of(spec(nodes).build())).isInstanceOf(TaskGraph.Valid.class);
        create("largest", spec(nodes));
        cancel("largest");
    }

    @Test
    void takesOtherNodesOfTheSameNumber() {
        create("scheduled", spec(leaves("h")).root("all").cleanup("n998").schedule(TaskSchedule.ofCron("@daily")));
        client.resources(Task.class).withName("scheduled").edit(task -> {
            task.setSpec(
                    TaskSpecBuilder.builder(task.getSpec()).nodes(leaves("g")).build());
            return task;
        });
        cancel("scheduled");
    }

    @Test
    void acceptsTheLongestCron() {
        create(
                "cron",
                TaskSpecBuilder.builder()
                        .task(TaskUnit.ofHandler("h"))
                        .schedule(TaskSchedule.ofCron(
                                "0-59/2," + "59,".repeat(70) + "0 */2 1,15 JAN-dec/3 sun,Mon-fri,6")));
        for (var cron : List.of("* * * * *", "*/5 8-18 * * mon-fri", "@Daily", "0 0 29 2 ?", "05 04 01 12 0")) {
            client.resources(Task.class).withName("cron").edit(task -> {
                task.setSpec(TaskSpecBuilder.builder(task.getSpec())
                        .schedule(TaskSchedule.ofCron(cron))
                        .build());
                return task;
            });
        }
    }

    @Test
    void refusesOneMore() {
        var tooMany = IntStream.range(0, 1001)
                .mapToObj(i -> TaskNode.ofHandler("n" + i, "h"))
                .toList();
        refuses(spec(tooMany), "spec.nodes", "must have at most 1000 items");
        var names = Collections.nCopies(1001, "a").toArray(String[]::new);
        refuses(spec(List.of(TaskNode.ofChain("all", names))), "spec.nodes[0].chain", "must have at most 1000 items");
        refuses(spec(List.of(TaskNode.ofGroup("all", names))), "spec.nodes[0].group", "must have at most 1000 items");
        refuses(
                spec(List.of(
                        TaskNode.ofCommand("a", Collections.nCopies(65, "x").toArray(String[]::new)))),
                "spec.nodes[0].command",
                "must have at most 64 items");
        refuses(
                spec(List.of(TaskNode.ofCommand("a", "x".repeat(16_385)))),
                "spec.nodes[0].command[0]",
                "may not be more than 16384");
        refuses(
                spec(List.of(TaskNode.ofHandler(
                        "a", "h", Collections.nCopies(65, number(1)).toArray(JsonNode[]::new)))),
                "spec.nodes[0].args",
                "must have at most 64 items");
        refuses(
                spec(List.of(TaskNodeBuilder.builder(TaskNode.ofHandler("a", "h"))
                        .env(IntStream.range(0, 65)
                                .mapToObj(i -> new EnvEntry("E" + i, ""))
                                .toList())
                        .build())),
                "spec.nodes[0].env",
                "must have at most 64 items");
        refuses(
                TaskSpecBuilder.builder().task(TaskUnit.ofHandler("h")).activeDeadlineSeconds(31_536_001L),
                "spec.activeDeadlineSeconds",
                "should be less than or equal to 31536000");
        refuses(
                TaskSpecBuilder.builder().task(TaskUnit.ofHandler("h")).ttlSecondsAfterFinished(31_536_001L),
                "spec.ttlSecondsAfterFinished",
                "should be less than or equal to 31536000");
        refuses(
                TaskSpecBuilder.builder().task(TaskUnit.ofHandler("h")).postponeSeconds(31_536_001),
                "spec.postponeSeconds",
                "should be less than or equal to 31536000");
    }

    /** The group {@code all} of 999 nodes. */
    private static List<TaskNode> groupOf(IntFunction<TaskNode> node) {
        return Stream.concat(
                        Stream.of(TaskNode.ofGroup(
                                "all",
                                IntStream.range(0, 999).mapToObj(i -> "n" + i).toArray(String[]::new))),
                        IntStream.range(0, 999).mapToObj(node))
                .toList();
    }

    private static List<TaskNode> leaves(String handler) {
        return groupOf(i -> TaskNode.ofHandler("n" + i, handler));
    }

    private void accepts(String name, List<TaskNode> nodes) {
        assertThat(TaskGraph.of(spec(nodes).build())).isInstanceOf(TaskGraph.Valid.class);
        create(name, spec(nodes));
        cancel(name);
    }

    private void create(String name, TaskSpecBuilder spec) {
        client.resource(Specimens.task(name, spec)).create();
    }

    private void cancel(String name) {
        var changed = client.resources(Task.class).withName(name).edit(task -> {
            task.setSpec(TaskSpecBuilder.builder(task.getSpec()).cancel(true).build());
            return task;
        });
        assertThat(changed.getSpec().cancel()).isTrue();
    }

    private void refuses(TaskSpecBuilder spec, String... words) {
        assertThatThrownBy(() -> create("one-more", spec)).hasMessageContainingAll(words);
    }

    private static TaskSpecBuilder spec(List<TaskNode> nodes) {
        return TaskSpecBuilder.builder().nodes(nodes);
    }

    private static JsonNode text(String text) {
        return JsonNodeFactory.instance.textNode(text);
    }

    private static JsonNode number(int number) {
        return JsonNodeFactory.instance.numberNode(number);
    }
}
