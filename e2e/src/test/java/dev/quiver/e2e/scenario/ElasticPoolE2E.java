package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.Pod;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.WorkerPoolReason;
import dev.quiver.e2e.quiver.Gate;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;
import dev.quiver.e2e.quiver.Watching;

/** A pool from zero to several pods and back, by the work that waits for it. */
@Scenario
class ElasticPoolE2E {

    private static Pool pool(Space space, int slots, int most, int target, int coolDown) {
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: WorkerPool
                metadata: {name: elastic}
                spec:
                  replicas: 0
                  autoscaling: {maxReplicas: %d, targetSeconds: %d, coolDownSeconds: %d}
                  drainSeconds: 5
                  slots: {count: %d}
                  template: {spec: {securityContext: {runAsNonRoot: true}, containers: [{name: worker, image: quiver/demo:0.1.0}]}}
                """.formatted(most, target, coolDown, slots));
        Pool pool = space.pool("elastic");
        pool.awaitReason(ConditionType.Autoscaling, WorkerPoolReason.AtMinimum.name());
        return pool;
    }

    private static Set<String> names(List<Pod> pods) {
        return pods.stream().map(pod -> pod.getMetadata().getName()).collect(Collectors.toSet());
    }

    @Test
    void followsABurstAndCutsNoTaskOff(Space space) {
        Pool pool = pool(space, 2, 3, 1, 2);
        try (Watching table = space.kubectl().watch("get", "wpool", "-w")) {
            // A pool asks for no pod that would start when the work is almost done, and a busy machine starts pods
            // slowly.
            Run run = space.run(
                    Tasks.shell("burst", "sleep 1").count(150).on(pool, 10).trials(1));
            TaskSetStatus end = run.awaitFinished();
            assertThat(end).returns(150L, TaskSetStatus::succeeded).returns(150L, TaskSetStatus::trials);
            Awaitility.await("no pod is left").until(() -> pool.pods().isEmpty());
            pool.awaitReason(ConditionType.Autoscaling, WorkerPoolReason.AtMinimum.name());
            List<String> columns = table.lines();
            assertThat(columns.getFirst().split(" +"))
                    .containsExactly(
                            "NAME", "REPLICAS", "READY", "BUSY", "SLOTS", "DRAINING", "BLOCKED", "REASON", "AGE");
            assertThat(columns).anySatisfy(line -> assertThat(line.split(" +")).startsWith("elastic", "3"));
            assertThat(columns)
                    .allSatisfy(line -> assertThat(line.split(" +")[1]).isIn("REPLICAS", "0", "1", "2", "3"));
        }
    }

    /** Their pods would drain for five seconds, if they were asked to. */
    @Test
    void podsWithALongTaskStayWhileTheOthersGo(Space space) {
        Pool pool = pool(space, 1, 3, 1, 0);
        Run run = space.run(Tasks.shell("mixed", "[ $QUIVER_INDEX -gt 1 ] || " + Gate.WAIT)
                .count(200)
                .on(pool, 10)
                .trials(1));
        run.await("all short ones are done", status -> status.succeeded() == 198);
        Awaitility.await("one pod for each long task").until(() -> pool.pods().size() == 2);
        Set<String> busy = names(pool.pods());
        pool.await("as many as are busy", status -> status.desiredReplicas() == 2 && status.busySlots() == 2);
        assertThat(names(pool.pods())).isEqualTo(busy);
        TaskSetStatus end = new Gate(space).letEnd(run);
        assertThat(end).returns(200L, TaskSetStatus::succeeded).returns(200L, TaskSetStatus::trials);
        Awaitility.await("no pod is left").until(() -> pool.pods().isEmpty());
    }

    @Test
    void everyKindOfWorkWakesAPoolAtZero(Space space) {
        Pool pool = pool(space, 2, 1, 1, 0);
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: Task
                metadata: {name: tree}
                spec:
                  workerPoolRef: {name: elastic}
                  nodes: [{name: leaf, command: ['true']}]
                """);
        space.tree("tree").awaitFinished();
        Awaitility.await("no pod is left").until(() -> pool.pods().isEmpty());
        space.kubectl().apply("""
                apiVersion: quiver.dev/v1alpha1
                kind: MapReduceJob
                metadata: {name: job}
                spec:
                  workerPoolRef: {name: elastic}
                  input: {json: [1, 2, 3]}
                  process: {command: ['true']}
                """);
        space.job("job").awaitFinished();
        Awaitility.await("no pod is left").until(() -> pool.pods().isEmpty());
    }
}
