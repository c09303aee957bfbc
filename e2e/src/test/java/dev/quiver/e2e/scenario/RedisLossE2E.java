package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.api.model.Pod;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.StoreLossPolicy;
import dev.quiver.crds.v1alpha1.TaskNodeCounts;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.TaskState;
import dev.quiver.crds.v1alpha1.TaskStatus;
import dev.quiver.e2e.quiver.AllKinds;
import dev.quiver.e2e.quiver.Disturbance;
import dev.quiver.e2e.quiver.Gate;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.LogBook;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;
import dev.quiver.e2e.quiver.Tree;

/** Redis goes away, with and without its data. */
@Disturbance
@Order(2)
class RedisLossE2E {

    /** The leaves of each of the Tasks that meet an emptied Redis. */
    private static final int LEAVES = 4;

    @Test
    void workGoesOnAfterRedisWasRestartedWithItsData(Space space, Installation quiver) {
        try (LogBook log = new LogBook(space)) {
            AllKinds work = AllKinds.midway(space);
            int before = restarts(quiver);
            quiver.nodes().signal(redisPod(quiver), "redis", "KILL");
            Awaitility.await("Redis is started again").until(() -> restarts(quiver) > before);
            work.awaitGoesOn();
            work.assertRight();
            work.assertEachRan(log);
        }
    }

    @Test
    void emptiedRedisHasTheOutcomeOfThePolicy(Space space, Installation quiver) {
        String script = "sleep 1; [ $QUIVER_INDEX -lt 6 ] || " + Gate.WAIT;
        Run failing = space.run(Tasks.shell("failing", script).count(30));
        Run again = space.run(
                Tasks.shell("again", script).count(30).with(spec -> spec.storeLossPolicy(StoreLossPolicy.Resubmit)));
        space.patientPool("trees", 1, 2 * LEAVES);
        Tree failingTree = tree(space, "failing-tree", StoreLossPolicy.Fail);
        Tree againTree = tree(space, "again-tree", StoreLossPolicy.Resubmit);
        failing.awaitSucceeded(4);
        again.awaitSucceeded(4);
        failingTree.awaitNodes(1);
        againTree.awaitNodes(1);
        // With its volume, which is the pod's: its data and the tenants' users are gone.
        quiver.kubectl().run("delete", "pod", "quiver-redis-0", "--force", "--grace-period=0");

        failing.awaitFinished();
        assertThat(failing.reason(ConditionType.Succeeded)).isEqualTo("StoreLost");
        assertThat(failing.message(ConditionType.Succeeded)).containsIgnoringCase("redis");
        assertThat(new Gate(space).letEnd(again))
                .returns(30L, TaskSetStatus::succeeded)
                .returns(30L, TaskSetStatus::trials);
        space.awaitEvent("TaskSet", "Resubmit");

        assertThat(failingTree.awaitFinished().state()).isNotEqualTo(TaskState.FINISHED);
        assertThat(failingTree.reason(ConditionType.Succeeded)).isEqualTo("StoreLost");
        TaskStatus end = new Gate(space).letEnd(againTree);
        assertThat(end.state()).as("%s", end).isEqualTo(TaskState.FINISHED);
        assertThat(end.nodes()).as("%s", end).returns((long) LEAVES + 1, TaskNodeCounts::finished);
        space.awaitEvent("Task", "Resubmit");
    }

    /** A group of which the first leaf ends and the others wait for the test. */
    private static Tree tree(Space space, String name, StoreLossPolicy policy) {
        List<String> names =
                IntStream.range(0, LEAVES).mapToObj(i -> "leaf-" + i).toList();
        String others = names.stream()
                .skip(1)
                .map(leaf -> "    - {name: %s, command: [sh, -c, '%s']}\n".formatted(leaf, Gate.WAIT))
                .collect(Collectors.joining());
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: %s}
                spec:
                  workerPoolRef: {name: trees}
                  storeLossPolicy: %s
                  root: all
                  nodes:
                    - {name: all, group: [%s]}
                    - {name: %s, command: ["true"]}
                %s
                """.formatted(name, policy, String.join(", ", names), names.getFirst(), others));
        return space.tree(name);
    }

    @Test
    void saysThatRedisIsAbsentAndRecoversWithoutARestart(Space space, Installation quiver) {
        quiver.scale(Installation.REDIS, 0);
        Run run;
        try {
            quiver.kubectl().run("rollout", "restart", Installation.OPERATOR);
            quiver.kubectl().run("rollout", "status", Installation.OPERATOR, "--timeout=4m");
            run = space.run(Tasks.shell("patient", "true").count(10));
            run.awaitReason(ConditionType.StoreReachable, "Unreachable");
            run.awaitMessage(ConditionType.StoreReachable, "quiver-redis");
            assertThat(run.condition(ConditionType.StoreReachable).orElseThrow().getStatus())
                    .isEqualTo("False");
        } finally {
            quiver.scale(Installation.REDIS, 1);
        }
        assertThat(run.awaitFinished()).returns(10L, TaskSetStatus::succeeded);
        assertThat(run.reason(ConditionType.StoreReachable)).isEqualTo("Connected");
        assertThat(quiver.restarts("operator"))
                .as("the operator's containers were not restarted")
                .isZero();
    }

    private static int restarts(Installation quiver) {
        return redisPod(quiver).getStatus().getContainerStatuses().getFirst().getRestartCount();
    }

    private static Pod redisPod(Installation quiver) {
        return quiver.pods("redis").getFirst();
    }
}
