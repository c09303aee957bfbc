package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.api.model.Pod;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.e2e.cluster.Failures;
import dev.quiver.e2e.quiver.Disturbance;
import dev.quiver.e2e.quiver.Gate;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.LogBook;
import dev.quiver.e2e.quiver.Promise;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;
import dev.quiver.e2e.quiver.Tree;

/** A node loses its power, with workers on it. */
@Disturbance
@Order(3)
class NodeLossE2E {

    private static final long TASKS = 40;
    private static final int LEAVES = 4;

    @Test
    void runsTasksElsewhereWhenNodeIsLost(Space space, Installation quiver) {
        Failures failures = quiver.cluster().failures();
        String lost = quiver.nodes().others().getFirst();
        quiver.nodes().awaitWhole();
        try (LogBook log = new LogBook(space)) {
            // One worker on each node, by the pods' own wish, full of tasks that end when they are told to.
            Run run = space.run(Tasks.shell("work", """
                            echo begins
                            [ $QUIVER_INDEX -ge 4 ] || %s
                            sleep 1
                            echo ends
                            """.formatted(Gate.WAIT))
                    .count((int) TASKS)
                    .workers(2, 2)
                    .pods(pod -> pod.editOrNewMetadata()
                            .addToLabels("spread", "work")
                            .endMetadata()
                            .editSpec()
                            .addNewTopologySpreadConstraint()
                            .withMaxSkew(1)
                            .withTopologyKey("kubernetes.io/hostname")
                            .withWhenUnsatisfiable("ScheduleAnyway")
                            .withNewLabelSelector()
                            .addToMatchLabels("spread", "work")
                            .endLabelSelector()
                            .endTopologySpreadConstraint()
                            .endSpec()));
            Tree tree = tree(space);
            Awaitility.await("both workers work, one on " + lost)
                    .until(() -> onNode(run, lost).size() == 1
                            && run.pods().size() == 2
                            && run.pods().stream()
                                    .allMatch(pod ->
                                            WorkerLossE2E.Work.heldBy(log, pod).size() == 2));
            Pod victim = onNode(run, lost).getFirst();
            List<String> held = WorkerLossE2E.Work.heldBy(log, victim);
            List<Pod> survivors = run.pods().stream()
                    .filter(pod -> !lost.equals(pod.getSpec().getNodeName()))
                    .toList();
            tree.await(
                    "leaves on both nodes",
                    status -> status.nodes() != null && status.nodes().locked() == LEAVES);

            failures.killNode(lost);
            Promise elsewhere = Promise.of("tasks of a lost node run elsewhere", Duration.ofSeconds(15));
            try {
                survivors.forEach(new Gate(space)::open);
                elsewhere.await(() -> held.stream().allMatch(task -> log.count(WorkerLossE2E.Work.begins(task)) >= 2));
                Awaitility.await("a replacement for the lost worker")
                        .until(() -> run.pods().size() == 2 && onNode(run, lost).isEmpty());
                assertThat(new Gate(space).letEnd(run))
                        .returns(TASKS, TaskSetStatus::succeeded)
                        .returns(TASKS, TaskSetStatus::trials);
                assertThat(tree.awaitFinished().progress()).isEqualTo(LEAVES + "/" + LEAVES);
                assertThat(tree.reason(ConditionType.Succeeded)).isEqualTo("RootSucceeded");
            } finally {
                failures.startNode(lost);
                quiver.kubectl().run("wait", "--for=condition=Ready", "node/" + lost, "--timeout=4m");
                quiver.nodes().reopen(lost);
            }
        }
    }

    /** A Task whose leaves fill a worker on each node. */
    private static Tree tree(Space space) {
        String leaf = "{name: leaf-%d, command: [sleep, '15'], maxTrials: 1}";
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: WorkerPool
                metadata: {name: trees}
                spec:
                  replicas: 2
                  slots: {count: %d}
                  template:
                    metadata: {labels: {spread: trees}}
                    spec:
                      topologySpreadConstraints:
                        - maxSkew: 1
                          topologyKey: kubernetes.io/hostname
                          whenUnsatisfiable: DoNotSchedule
                          labelSelector: {matchLabels: {spread: trees}}
                      securityContext: {runAsNonRoot: true}
                      containers: [{name: worker, image: quiver/demo:0.1.0}]
                """.formatted(LEAVES / 2));
        space.pool("trees").await("two workers", status -> Integer.valueOf(2).equals(status.readyReplicas()));
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: spread}
                spec:
                  workerPoolRef: {name: trees}
                  nodes:
                    - {name: all, group: [%s]}
                    - %s
                """.formatted(
                        IntStream.range(0, LEAVES).mapToObj(i -> "leaf-" + i).collect(Collectors.joining(", ")),
                        IntStream.range(0, LEAVES).mapToObj(leaf::formatted).collect(Collectors.joining("\n    - "))));
        return space.tree("spread");
    }

    private static List<Pod> onNode(Run run, String node) {
        return run.pods().stream()
                .filter(pod -> node.equals(pod.getSpec().getNodeName()))
                .toList();
    }
}
