package dev.quiver.crds.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.util.List;
import java.util.function.UnaryOperator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.crds.apiserver.ApiServer;

/** The fields that may change in a Task that is there, and those that may not. */
@ExtendWith(ApiServer.class)
class TaskUpdatesIT {
    private static final String ONLY =
            "cannot be changed: only suspend, cancel, relPriority, tags, resources, schedule,"
                    + " activeDeadlineSeconds and ttlSecondsAfterFinished can";
    private static final String WITHOUT_SCHEDULE =
            "cannot be changed without schedule: only suspend, cancel, relPriority, tags, resources,"
                    + " activeDeadlineSeconds and ttlSecondsAfterFinished can";

    private final KubernetesClient client;
    private String name;

    TaskUpdatesIT(KubernetesClient client) {
        this.client = client;
    }

    @BeforeEach
    void nameEachObjectAnew(TestInfo test) {
        name = "u" + Integer.toHexString(test.getDisplayName().hashCode());
    }

    @Test
    void changesWhatIsMeantToChange() {
        create(tree());
        var changed = change(spec ->
                spec.suspend(true).cancel(true).activeDeadlineSeconds(60L).ttlSecondsAfterFinished(0L));
        assertThat(changed.getMetadata().getGeneration()).isEqualTo(2);
        change(spec -> spec.suspend(false).activeDeadlineSeconds(null).ttlSecondsAfterFinished(null));
    }

    @Test
    void doesNotTakeACancelBack() {
        create(tree());
        change(spec -> spec.cancel(true));
        refuses(spec -> spec.cancel(false), "spec.cancel", "only false to true is allowed");
    }

    @Test
    void keepsTheNodesThatItWasStartedWith() {
        create(tree().root("all").cleanup("last"));
        refuses(spec -> spec.nodes(nodes("other", 7)), "spec.nodes", WITHOUT_SCHEDULE);
        refuses(spec -> spec.nodes(nodes("fetch", 8)), "spec.nodes", WITHOUT_SCHEDULE);
        refuses(spec -> spec.root("last").cleanup("all"), "spec.root", "spec.finally", WITHOUT_SCHEDULE);
        refuses(spec -> spec.root(null), "spec.root", WITHOUT_SCHEDULE);
        refuses(spec -> spec.cleanup(null), "spec.finally", WITHOUT_SCHEDULE);
        refuses(
                spec -> spec.nodes(null).root(null).cleanup(null).task(TaskUnit.ofHandler("resize")),
                "spec.task",
                "spec.nodes",
                WITHOUT_SCHEDULE);
        refuses(spec -> spec.task(TaskUnit.ofHandler("resize")), "spec.task", WITHOUT_SCHEDULE);
    }

    @Test
    void keepsTheRestOfWhatItWasStartedWith() {
        create(TaskSpecBuilder.builder().task(TaskUnit.ofHandler("resize")).postponeSeconds(60));
        refuses(spec -> spec.task(TaskUnit.ofHandler("rotate")), "spec.task", WITHOUT_SCHEDULE);
        refuses(
                spec -> spec.task(TaskUnit.ofHandler(
                        "resize", JsonNodeFactory.instance.objectNode().put("width", 9))),
                "spec.task",
                WITHOUT_SCHEDULE);
        refuses(spec -> spec.workerPoolRef(new WorkerPoolRef("other")), "spec.workerPoolRef", ONLY);
        refuses(spec -> spec.wire(Wire.Idoit), "spec.wire", ONLY);
        refuses(spec -> spec.storeLossPolicy(StoreLossPolicy.Resubmit), "spec.storeLossPolicy", ONLY);
        refuses(spec -> spec.history(RunHistory.DEFAULT), "spec.history", ONLY);
        refuses(spec -> spec.postponeSeconds(61), "spec.postponeSeconds", ONLY);
        refuses(spec -> spec.postponeSeconds(null), "spec.postponeSeconds", ONLY);
        refuses(spec -> spec.notBefore("2027-01-01T00:00:00Z"), "spec.notBefore", ONLY);
    }

    @Test
    void keepsWhetherItCanBeUndoneAndWhatItUndoes() {
        create(tree());
        change(spec -> spec.undo(false));
        refuses(spec -> spec.undo(true), "spec.undo", ONLY);
        refuses(spec -> spec.undoOf("other"), "spec.undoOf", ONLY);
        name += "-undo";
        create(TaskSpecBuilder.builder().undoOf("other").undo(true));
        change(spec -> spec.suspend(true).cancel(true));
        refuses(spec -> spec.undoOf("another"), "spec.undoOf", ONLY);
        refuses(spec -> spec.undo(null), "spec.undo", ONLY);
    }

    @Test
    void takesAnotherPriorityAndOtherTagsForWhatWaits() {
        create(ordered());
        change(spec -> spec.relPriority(6).tags(List.of("view", "other")));
        var changed = change(spec -> spec.relPriority(null).tags(null));
        assertThat(changed.getSpec())
                .returns(null, TaskSpec::relPriority)
                .returns(List.of(), TaskSpec::tags)
                .returns("acme", TaskSpec::fairnessKey);
        refuses(spec -> spec.relPriority(100_000), "spec.relPriority");
        refuses(spec -> spec.tags(List.of("a b")), "spec.tags");
    }

    @Test
    void keepsTheKeyWhoseTurnsItWasStartedWith() {
        create(ordered());
        refuses(spec -> spec.fairnessKey("other"), "spec.fairnessKey", WITHOUT_SCHEDULE);
        refuses(spec -> spec.fairnessKey(null), "spec.fairnessKey", WITHOUT_SCHEDULE);
        change(spec -> spec.suspend(true));
    }

    @Test
    void takesNoPriorityOnIdoitsWire() {
        create(TaskSpecBuilder.builder().task(TaskUnit.ofHandler("resize")).wire(Wire.Idoit));
        refuses(spec -> spec.relPriority(1), "spec.relPriority", "must be absent with wire: Idoit");
        refuses(spec -> spec.tags(List.of("view")), "spec.relPriority", "must be absent with wire: Idoit");
    }

    @Test
    void takesAnotherOrderForTheNextRunOfASchedule() {
        create(ordered().schedule(TaskSchedule.ofCron("@daily")));
        change(spec -> spec.relPriority(-6).tags(List.of("other")).fairnessKey("other"));
        var changed = change(spec -> spec.relPriority(null).tags(null).fairnessKey(null));
        assertThat(changed.getSpec())
                .returns(null, TaskSpec::relPriority)
                .returns(List.of(), TaskSpec::tags)
                .returns(null, TaskSpec::fairnessKey);
    }

    @Test
    void keepsTheHistoryThatItWasStartedWith() {
        create(TaskSpecBuilder.builder()
                .task(TaskUnit.ofHandler("resize"))
                .schedule(TaskSchedule.ofCron("@daily"))
                .history(RunHistoryBuilder.builder()
                        .keep(RunHistory.Keep.Failures)
                        .build()));
        refuses(spec -> spec.history(RunHistory.DEFAULT), "spec.history", ONLY);
        refuses(spec -> spec.history(null), "spec.history", ONLY);
        change(spec -> spec.suspend(true));
    }

    @Test
    void takesOtherNodesForTheNextRunOfASchedule() {
        create(tree().schedule(TaskSchedule.ofCron("@daily")).cleanup("last"));
        change(spec -> spec.nodes(nodes("other", 7)));
        change(spec -> spec.nodes(nodes("other", 8)).root("all"));
        change(spec -> spec.cleanup(null).root(null).nodes(null).task(TaskUnit.ofHandler("resize")));
        change(spec -> spec.task(TaskUnit.ofHandler("rotate")));
        change(spec -> spec.schedule(TaskSchedule.ofCron("0 4 * * *")));
        refuses(spec -> spec.root("all"), "spec.root", "must be the name of one of nodes");
        refuses(spec -> spec.task(null), "must have exactly one of task");
        refuses(spec -> spec.storeLossPolicy(StoreLossPolicy.Resubmit), "spec.storeLossPolicy", ONLY);
    }

    @Test
    void keepsAScheduleOrItsAbsence() {
        create(tree().schedule(TaskSchedule.ofCron("@daily")));
        refuses(spec -> spec.schedule(null), "spec.schedule", "cannot be added or removed: set schedule.suspend");
        name += "-b";
        create(tree());
        refuses(spec -> spec.schedule(TaskSchedule.ofCron("@daily")), "spec.schedule", "cannot be added or removed");
    }

    @Test
    void doesNotSuspendOnIdoitsWire() {
        create(TaskSpecBuilder.builder().task(TaskUnit.ofHandler("resize")).wire(Wire.Idoit));
        refuses(spec -> spec.suspend(true), "spec.suspend", "must be false with wire: Idoit");
        change(spec -> spec.cancel(true));
    }

    /** A value that is empty to a script is a value to the one who waits for it. */
    @Test
    void keepsWhatIsEmptyOrNull() throws IOException {
        var arguments = List.of(
                new ObjectMapper().readValue("[null, 0, \"\", false, [], {}, {\"a\": null}]", JsonNode[].class));
        create(TaskSpecBuilder.builder()
                .task(TaskUnitBuilder.builder().handler("h").args(arguments).build()));
        var status = new Task();
        status.setMetadata(Specimens.task(name).getMetadata());
        status.setStatus(
                TaskStatusBuilder.builder().result(NullNode.getInstance()).build());
        client.resource(status)
                .subresource("status")
                .patch(new PatchContext.Builder()
                        .withPatchType(PatchType.SERVER_SIDE_APPLY)
                        .withFieldManager("quiver")
                        .withForce(true)
                        .build());
        var stored = client.resources(Task.class).withName(name).get();
        assertThat(stored.getSpec().task().args()).isEqualTo(arguments);
        assertThat(stored.getStatus().result()).isEqualTo(NullNode.getInstance());
    }

    private void create(TaskSpecBuilder spec) {
        client.resource(Specimens.task(name, spec)).create();
    }

    private Task change(UnaryOperator<TaskSpecBuilder> change) {
        return client.resources(Task.class).withName(name).edit(task -> {
            task.setSpec(change.apply(TaskSpecBuilder.builder(task.getSpec())).build());
            return task;
        });
    }

    private void refuses(UnaryOperator<TaskSpecBuilder> change, String... words) {
        var refusal = catchThrowableOfType(KubernetesClientException.class, () -> change(change));
        assertThat(refusal).isNotNull();
        assertThat(refusal.getCode()).isEqualTo(422);
        assertThat(refusal.getMessage()).contains(words);
    }

    private static TaskSpecBuilder ordered() {
        return TaskSpecBuilder.builder()
                .task(TaskUnit.ofHandler("resize"))
                .relPriority(5)
                .tags(List.of("view"))
                .fairnessKey("acme");
    }

    private static TaskSpecBuilder tree() {
        return TaskSpecBuilder.builder().nodes(nodes("fetch", 7));
    }

    private static List<TaskNode> nodes(String first, int argument) {
        return List.of(
                TaskNode.ofChain("all", first, "merge"),
                TaskNode.ofHandler(first, "fetch", JsonNodeFactory.instance.numberNode(argument)),
                TaskNode.ofCommand("merge", "merge"),
                TaskNode.ofHandler("last", "sweep"));
    }
}
