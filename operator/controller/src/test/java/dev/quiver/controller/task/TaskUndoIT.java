package dev.quiver.controller.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.controller.rig.Kubelet;
import dev.quiver.controller.rig.NoopWorker;
import dev.quiver.controller.rig.RunningOperator;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskNodeBuilder;
import dev.quiver.crds.v1alpha1.TaskReason;
import dev.quiver.crds.v1alpha1.TaskSpecBuilder;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.crds.v1alpha1.TaskUndo;
import dev.quiver.crds.v1alpha1.TaskUndoState;
import dev.quiver.crds.v1alpha1.TreeReason;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;

/** A Task undoes another one, once. */
@ExtendWith(ApiServer.class)
class TaskUndoIT {

    private static final AtomicInteger POOLS = new AtomicInteger();

    private static final String DROP = "{\"undo\":[{\"handler\":\"drop\",\"args\":[7],\"maxTrials\":1}]}";

    @RegisterExtension
    static final RunningOperator OPERATOR = new RunningOperator();

    private final String pool = "drafts-" + POOLS.incrementAndGet();

    private KubernetesClient client;
    private Seen seen;
    private NoopWorker worker;

    @BeforeEach
    void begin(KubernetesClient given) {
        client = given;
        seen = new Seen(client);
        client.resource(Samples.serving(pool, 1)).create();
        Pod pod = seen.awaitPods(pool, 1).getFirst();
        new Kubelet(client).allReady(pool);
        worker = seen.awaitWorker(pod, OPERATOR.redisUri());
        worker.serve("save", "save#plan", "drop", "drop#plan");
    }

    @AfterEach
    void end() {
        worker.close();
        client.resources(Task.class).delete();
        Seen.until(() -> client.resources(Task.class).list().getItems(), List::isEmpty);
    }

    private void save(String name, boolean undo) {
        save(name, undo, false);
    }

    private void save(String name, boolean undo, boolean suspend) {
        TaskNode node = TaskNodeBuilder.builder()
                .name("save")
                .handler("save")
                .maxTrials(1)
                .plan(true)
                .build();
        client.resource(Samples.task(name, Samples.tree(pool, node).undo(undo).suspend(suspend)))
                .create();
    }

    private void undo(String name, String of) {
        undo(name, of, false);
    }

    private void undo(String name, String of, boolean undo) {
        undo(name, of, undo, false);
    }

    private void undo(String name, String of, boolean undo, boolean suspend) {
        client.resource(Samples.task(
                        name,
                        TaskSpecBuilder.builder()
                                .workerPoolRef(new WorkerPoolRef(pool))
                                .undoOf(of)
                                .undo(undo)
                                .suspend(suspend)))
                .create();
    }

    private void claim(String name) {
        Seen.until(() -> worker.claim(1), held -> held == 1);
        assertThat(worker.names()).containsExactly(name);
    }

    private void saved(String name) throws InterruptedException {
        save(name, true);
        claim("save");
        worker.bring(DROP);
        claim("save");
        worker.pass("1");
        seen.awaitTask(name, ConditionType.Finished, TaskReason.RootSucceeded);
    }

    private static TaskUndo state(TaskUndoState state, int tasks, String by) {
        return new TaskUndo(state, tasks, tasks == 0 ? List.of() : List.of("drop"), by);
    }

    private void awaitUndo(String name, TaskUndo undo) {
        seen.awaitTask(name, status -> undo.equals(status.undo()));
    }

    @Test
    void whatAPlanChangedIsUndoneOnce() throws InterruptedException {
        saved("draft");
        awaitUndo("draft", state(TaskUndoState.Available, 1, null));

        undo("back", "draft");
        claim("drop");
        assertThat(worker.inputs()).containsExactly("[7]");
        awaitUndo("draft", state(TaskUndoState.Undone, 1, "back"));
        assertThat(seen.task("back").orElseThrow().tree())
                .extracting(row -> row.name())
                .contains("undo", "drop");
        worker.pass("2");
        Condition end = seen.awaitTask("back", ConditionType.Succeeded, TaskReason.Undone);
        assertThat(end)
                .returns("True", Condition::getStatus)
                .returns("Task draft is undone. 1 of 1 units of progress were done.", Condition::getMessage);
        assertThat(seen.task("back").orElseThrow().result()).hasToString("[2]");

        undo("again", "draft");
        assertThat(seen.awaitTask("again", ConditionType.Succeeded, TaskReason.UndoRefused))
                .returns("False", Condition::getStatus)
                .returns(
                        "spec.undoOf: Task draft is undone already, by Task back: that is done once.",
                        Condition::getMessage);
        client.resources(Task.class).withName("back").delete();
        undo("later", "draft");
        seen.awaitTask("later", ConditionType.Succeeded, TaskReason.UndoRefused);
        assertThat(worker.claim(1)).isZero();
    }

    @Test
    void aTaskThatHasNotBegunIsCancelled() {
        save("draft", true);
        seen.awaitTask("draft", status -> status.progress() != null);
        undo("back", "draft");
        assertThat(seen.awaitTask("back", ConditionType.Succeeded, TaskReason.Undone)
                        .getMessage())
                .isEqualTo("Task draft had not begun: it was cancelled, and nothing had to be undone.");
        assertThat(seen.awaitTask("draft", ConditionType.Finished, TreeReason.Cancelled)
                        .getMessage())
                .startsWith("It had not begun, and back undid it.");
        awaitUndo("draft", state(TaskUndoState.Undone, 0, "back"));
    }

    @Test
    void aTaskThatRunsIsWaitedFor() throws InterruptedException {
        save("draft", true);
        claim("save");
        worker.bring(DROP);
        claim("save");
        undo("back", "draft");
        assertThat(seen.awaitTask("back", ConditionType.Finished, TaskReason.WaitingForTask)
                        .getMessage())
                .isEqualTo("Task draft of spec.undoOf runs: 0 of 1 nodes have ended. It is undone when all have.");
        assertThat(seen.task("draft").orElseThrow().undo()).isNull();
        worker.fail();
        claim("drop");
        worker.fail();
        Condition end = seen.awaitTask("back", ConditionType.Succeeded, TaskReason.NodeFailed);
        assertThat(end.getMessage()).startsWith("A part of Task draft is not undone. Node drop failed: ");
        seen.awaitTask("draft", ConditionType.Finished, TaskReason.NodeFailed);
    }

    @Test
    void theUndoIsUndoneWhereItsPlansLeaveSomething() throws InterruptedException {
        save("draft", true);
        claim("save");
        worker.bring("{\"undo\":[{\"handler\":\"drop\",\"plan\":true}]}");
        claim("save");
        worker.pass("1");
        undo("back", "draft", true);
        claim("drop");
        worker.bring("{\"done\":true,\"result\":1,\"undo\":[{\"handler\":\"save\"}]}");
        seen.awaitTask("back", ConditionType.Succeeded, TaskReason.Undone);
        seen.awaitTask(
                "back",
                status -> Optional.ofNullable(status.undo())
                        .filter(undo -> undo.state() == TaskUndoState.Available)
                        .isPresent());
        undo("redo", "back");
        claim("save");
        worker.pass("3");
        seen.awaitTask("redo", ConditionType.Succeeded, TaskReason.Undone);
    }

    @Test
    void whatCannotBeUndoneIsNamed() throws InterruptedException {
        undo("back", "draft");
        assertThat(seen.awaitTask("back", ConditionType.Succeeded, TaskReason.UndoRefused)
                        .getMessage())
                .startsWith("spec.undoOf: there is no Task draft in this namespace.");
        save("plain", false);
        undo("back-2", "plain");
        assertThat(seen.awaitTask("back-2", ConditionType.Succeeded, TaskReason.UndoRefused)
                        .getMessage())
                .startsWith("spec.undoOf: Task plain has spec.undo: false");
        claim("save");
        worker.bring("{\"done\":true,\"result\":1}");
        save("empty", true);
        claim("save");
        worker.bring("{\"done\":true,\"result\":1}");
        awaitUndo("empty", state(TaskUndoState.Nothing, 0, null));
        undo("back-3", "empty");
        assertThat(seen.awaitTask("back-3", ConditionType.Succeeded, TaskReason.Undone)
                        .getMessage())
                .isEqualTo("The plans of Task empty left nothing to undo.");
    }

    @Test
    void aTaskOfAnotherKeyspaceIsNotUndone() throws InterruptedException {
        saved("draft");
        WorkerPool other = Samples.serving(pool + "-far", 0);
        other.setSpec(WorkerPoolSpecBuilder.builder(other.getSpec())
                .keyspace(pool + "-far")
                .build());
        client.resource(other).create();
        client.resource(Samples.task(
                        "back",
                        TaskSpecBuilder.builder()
                                .workerPoolRef(new WorkerPoolRef(pool + "-far"))
                                .undoOf("draft")))
                .create();
        assertThat(seen.awaitTask("back", ConditionType.Succeeded, TaskReason.UndoRefused)
                        .getMessage())
                .startsWith("spec.workerPoolRef.name: WorkerPool " + pool + "-far has ")
                .endsWith(": a Task is undone where it ran.");
        awaitUndo("draft", state(TaskUndoState.Available, 1, null));
    }

    /** Redis has nothing of it that could be cancelled. */
    @Test
    void aTaskThatIsNotAcceptedYetIsWaitedFor() {
        save("draft", true, true);
        seen.awaitTask("draft", ConditionType.Finished, TreeReason.Suspended);
        undo("back", "draft");
        assertThat(seen.awaitTask("back", ConditionType.Finished, TaskReason.WaitingForTask)
                        .getMessage())
                .isEqualTo("Task draft of spec.undoOf has not been accepted yet.");
        Samples.patch(client, Task.class, "draft", "\"cancel\":true");
        assertThat(seen.awaitTask("back", ConditionType.Succeeded, TaskReason.UndoRefused)
                        .getMessage())
                .isEqualTo("spec.undoOf: Redis has nothing of Task draft, and so nothing that would undo it.");
    }

    /** Each waits for the next one; which one is refused first is a matter of chance. */
    @Test
    void aCircleOfTasksThatUndoEachOtherEnds() {
        List<String> circle = List.of("first", "second", "third");
        for (int i = 0; i < circle.size(); i++) {
            undo(circle.get(i), circle.get((i + 1) % circle.size()), true, true);
        }
        circle.forEach(name -> seen.awaitTask(name, ConditionType.Finished, TreeReason.Suspended));
        circle.forEach(name -> Samples.patch(client, Task.class, name, "\"suspend\":false"));
        List<String> words = circle.stream()
                .map(name -> seen.awaitTask(name, ConditionType.Succeeded, TaskReason.UndoRefused)
                        .getMessage())
                .toList();
        assertThat(words).anyMatch(message -> message.endsWith("so that neither could begin."));
    }

    @Test
    void aSuspendedOneTakesNothing() throws InterruptedException {
        saved("draft");
        client.resource(Samples.task(
                        "back",
                        TaskSpecBuilder.builder()
                                .workerPoolRef(new WorkerPoolRef(pool))
                                .undoOf("draft")
                                .suspend(true)))
                .create();
        seen.awaitTask("back", ConditionType.Finished, TreeReason.Suspended);
        awaitUndo("draft", state(TaskUndoState.Available, 1, null));
        Samples.patch(client, Task.class, "back", "\"suspend\":false");
        claim("drop");
        worker.pass("2");
        TaskStatus status = seen.awaitTask("back", it -> it.completionTime() != null);
        assertThat(status.percent()).isEqualTo(100);
    }
}
