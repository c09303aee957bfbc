package dev.quiver.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.controller.rig.Kubelet;
import dev.quiver.controller.rig.NoopWorker;
import dev.quiver.controller.rig.OperatorRig;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.Autoscaling;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolReason;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.RedisServer;

/** Pools that follow their work. */
@ExtendWith(ApiServer.class)
class AutoscalingIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private final KubernetesClient client;
    private final Seen seen;
    private final Kubelet kubelet;
    private final List<NoopWorker> workers = new ArrayList<>();
    private OperatorRig operator;

    AutoscalingIT(KubernetesClient client) {
        this.client = client;
        this.seen = new Seen(client);
        this.kubelet = new Kubelet(client);
    }

    @AfterEach
    void end() {
        workers.forEach(NoopWorker::close);
        operator.close();
        client.leases().withName("quiver-operator").delete();
    }

    private OperatorRig start() {
        OperatorRig rig = OperatorRig.of(
                client.getConfiguration(),
                client.getNamespace(),
                REDIS.process().uri());
        operator = rig.start();
        return rig;
    }

    private void pool(String name, int replicas, Autoscaling how) {
        WorkerPool pool = Samples.pool(name, replicas);
        pool.setSpec(
                WorkerPoolSpecBuilder.builder(pool.getSpec()).autoscaling(how).build());
        client.resource(pool).create();
    }

    private static Autoscaling upTo(int most, int coolDown) {
        return new Autoscaling(most, null, 1, coolDown);
    }

    /** The times of these tasks are not known: each counts as a tenth of a second. */
    private void work(String name, String pool, int tasks) {
        client.resource(Samples.set(
                        name,
                        Samples.counted(tasks)
                                .replicas(50)
                                .workerTemplate(null)
                                .workerPoolRef(new WorkerPoolRef(pool))))
                .create();
    }

    private NoopWorker worker(Pod pod) {
        NoopWorker worker = seen.awaitWorker(pod, REDIS.process().uri());
        workers.add(worker);
        return worker;
    }

    private List<NoopWorker> allStart(String pool, int pods) {
        List<Pod> made = seen.awaitPods(pool, pods);
        kubelet.allReady(pool);
        return made.stream().map(this::worker).toList();
    }

    private WorkerPoolReason reason(String pool) {
        WorkerPoolStatus status = seen.pool(pool).orElseThrow();
        return WorkerPoolReason.valueOf(
                Seen.condition(status.conditions(), ConditionType.Autoscaling).getReason());
    }

    private void awaitReason(String pool, WorkerPoolReason reason) {
        seen.awaitPool(pool, ConditionType.Autoscaling, reason);
    }

    private void suspend(String set) {
        Samples.patch(client, TaskSet.class, set, "\"suspend\":true");
    }

    @Test
    void goesFromZeroToManyAndBackWithoutAPodThatRunsATask() throws InterruptedException {
        start();
        pool("burst", 0, upTo(3, 2));
        awaitReason("burst", WorkerPoolReason.AtMinimum);
        assertThat(seen.columns("workerpools", "burst")).startsWith("burst", "0", "0");
        work("burst-set", "burst", 2000);
        List<NoopWorker> pods = allStart("burst", 3);
        WorkerPoolStatus full = seen.awaitPool("burst", s -> s.readyReplicas() == 3);
        assertThat(full.desiredReplicas()).isEqualTo(3);
        assertThat(full.queued()).isEqualTo(2000);
        assertThat(full.workSeconds()).isEqualTo(200);
        assertThat(reason("burst")).isEqualTo(WorkerPoolReason.AtMaximum);
        assertThat(Seen.condition(full.conditions(), ConditionType.Autoscaling).getMessage())
                .matches("2000 tasks wait; 200 s of work need \\d+ pods\\.");
        assertThat(client.resources(WorkerPool.class)
                        .withName("burst")
                        .get()
                        .getSpec()
                        .replicas())
                .as("the operator writes no spec")
                .isZero();
        NoopWorker busy = pods.get(1);
        Seen.until(() -> busy.claim(2), held -> held == 2);
        busy.heartbeat();
        suspend("burst-set");
        List<Pod> left = seen.awaitPods("burst", 1);
        kubelet.finish("burst");
        assertThat(busy.names()).hasSize(2);
        WorkerPoolStatus one = seen.awaitPool("burst", s -> s.desiredReplicas() == 1 && s.busySlots() == 2);
        assertThat(Seen.condition(one.conditions(), ConditionType.Autoscaling).getReason())
                .isEqualTo(WorkerPoolReason.FollowsBacklog.name());
        assertThat(left.getFirst().getMetadata().getDeletionTimestamp()).isNull();
        busy.pass();
        busy.heartbeat();
        seen.awaitPods("burst", 0);
        kubelet.finish("burst");
        awaitReason("burst", WorkerPoolReason.AtMinimum);
    }

    @Test
    void aPodThatIsNeededAgainTakesWorkAgain() {
        start();
        pool("again", 0, upTo(1, 0));
        work("first", "again", 4);
        NoopWorker worker = allStart("again", 1).getFirst();
        worker.denyDraining(); // else it may be gone before the next work is there
        suspend("first");
        Seen.until(worker::draining, drains -> drains);
        work("second", "again", 4);
        Seen.until(worker::draining, drains -> !drains);
        Seen.until(() -> claims(worker), held -> held > 0);
        assertThat(kubelet.live("again")).hasSize(1);
    }

    private static int claims(NoopWorker worker) {
        try {
            return worker.claim(1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }

    @Test
    void aPersonMovesTheFloor() {
        start();
        pool("floor", 0, upTo(4, 0));
        awaitReason("floor", WorkerPoolReason.AtMinimum);
        client.resources(WorkerPool.class).withName("floor").scale(2);
        allStart("floor", 2);
        seen.awaitPool("floor", s -> s.desiredReplicas() == 2 && s.readyReplicas() == 2);
        client.resources(WorkerPool.class).withName("floor").scale(0);
        seen.awaitPods("floor", 0);
    }

    @Test
    void onlyReportsWhereAnotherScalerWritesTheReplicas() {
        start();
        pool("reports", 1, new Autoscaling(8, Autoscaling.Mode.Report, 1, 0));
        seen.awaitPods("reports", 1);
        work("reported", "reports", 2000);
        WorkerPoolStatus status = seen.awaitPool("reports", s -> s.desiredReplicas() == 5);
        assertThat(reason("reports")).isEqualTo(WorkerPoolReason.Reporting);
        assertThat(status.replicas()).isEqualTo(1);
        assertThat(operator.metrics())
                .contains("quiver_pool_desired_replicas{namespace=\"" + client.getNamespace()
                        + "\",pool=\"reports\"} 5.0");
        suspend("reported");
        seen.awaitPool("reports", s -> s.desiredReplicas() == 0);
        assertThat(kubelet.live("reports")).hasSize(1);
        client.resources(WorkerPool.class).withName("reports").edit(pool -> {
            pool.setSpec(WorkerPoolSpecBuilder.builder(pool.getSpec())
                    .autoscaling(null)
                    .build());
            return pool;
        });
        seen.awaitPool("reports", s -> s.desiredReplicas() == 1 && s.queued() == null);
        assertThat(operator.metrics().lines())
                .noneMatch(line -> line.startsWith("quiver_pool_desired_replicas") && line.contains("reports"));
    }

    /** None of them starts, and the condition says why. */
    @Test
    void aPoolWhoseImageCannotBePulledMakesNoPodAfterPod() {
        start();
        pool("broken", 0, upTo(2, 0));
        work("stuck", "broken", 2000);
        List<Pod> pods = seen.awaitPods("broken", 2);
        pods.forEach(pod -> kubelet.waiting(pod, "ImagePullBackOff", "no such image"));
        seen.awaitPool("broken", ConditionType.Ready, WorkerPoolReason.ImagePullFailed);
        assertThat(reason("broken")).isEqualTo(WorkerPoolReason.AtMaximum);
        assertThat(names(kubelet.pods("broken"))).isEqualTo(names(pods));
    }

    private static List<String> names(List<Pod> pods) {
        return pods.stream().map(pod -> pod.getMetadata().getName()).sorted().toList();
    }

    @Test
    void aQuotaThatRefusesPodsLeavesTheNumberAndIsSaidInWords() {
        start();
        var quota = new ResourceQuotaBuilder()
                .withNewMetadata()
                .withName("none")
                .endMetadata()
                .withNewSpec()
                .addToHard("pods", new Quantity("0"))
                .endSpec()
                .build();
        client.resource(quota).create();
        client.resourceQuotas()
                .withName("none")
                .editStatus(q -> new ResourceQuotaBuilder(q)
                        .withNewStatus()
                        .addToHard("pods", new Quantity("0"))
                        .addToUsed("pods", new Quantity("0"))
                        .endStatus()
                        .build());
        try {
            pool("refused", 0, upTo(2, 0));
            work("refused-set", "refused", 2000);
            assertThat(seen.awaitPool("refused", ConditionType.Ready, WorkerPoolReason.PodsRefused)
                            .getMessage())
                    .contains("exceeded quota");
            assertThat(seen.pool("refused").orElseThrow().desiredReplicas()).isEqualTo(2);
        } finally {
            client.resourceQuotas().withName("none").delete();
        }
        seen.awaitPods("refused", 2);
    }

    @Test
    void aSuspendedPoolHasNoPodWhateverWaits() {
        start();
        pool("asleep", 0, upTo(2, 0));
        work("waits", "asleep", 2000);
        seen.awaitPods("asleep", 2);
        Samples.patch(client, WorkerPool.class, "asleep", "\"suspend\":true");
        seen.awaitPods("asleep", 0);
        awaitReason("asleep", WorkerPoolReason.Suspended);
        assertThat(seen.pool("asleep").orElseThrow().desiredReplicas()).isZero();
    }

    /** It began while the one before was away, in the middle of a shrink. */
    @Test
    void theNextLeaderGoesOnWithAShrink() {
        OperatorRig first = start();
        pool("handed", 0, upTo(2, 0));
        work("handed-set", "handed", 2000);
        List<NoopWorker> pods = allStart("handed", 2);
        seen.awaitPool("handed", s -> s.readyReplicas() == 2);
        suspend("handed-set");
        Seen.until(() -> pods.stream().anyMatch(NoopWorker::draining), drains -> drains);
        first.close();
        client.leases().withName("quiver-operator").delete();
        start();
        seen.awaitPods("handed", 0);
    }

    /** The work came while no operator was there. */
    @Test
    void theNextLeaderGoesOnWithABurst() {
        OperatorRig first = start();
        pool("bursts", 0, upTo(3, 0));
        work("bursts-set", "bursts", 300);
        Seen.until(() -> kubelet.live("bursts"), pods -> !pods.isEmpty());
        first.close();
        client.leases().withName("quiver-operator").delete();
        int there = kubelet.live("bursts").size();
        client.resource(Samples.set(
                        "bursts-more",
                        Samples.counted(4000)
                                .replicas(50)
                                .workerTemplate(null)
                                .workerPoolRef(new WorkerPoolRef("bursts"))))
                .create();
        start();
        assertThat(there).isLessThanOrEqualTo(3);
        seen.awaitPods("bursts", 3);
    }

    @Test
    void numbersThatATenantForgedMoveItsOwnPoolUpToItsMaximum() {
        start();
        pool("forged", 0, upTo(2, 0));
        pool("honest", 0, upTo(2, 0));
        work("forged-set", "forged", 1);
        seen.awaitPods("forged", 1);
        String uid = client.resources(TaskSet.class)
                .withName("forged-set")
                .get()
                .getMetadata()
                .getUid();
        String set = Keyspace.ofNamespace(client.getNamespace()).prefix() + "taskset:" + uid;
        REDIS.store().ask(redis -> redis.hset(set, Map.of("left", "900000000000000", "run_ms", "900000000000000")));
        seen.awaitPods("forged", 2);
        awaitReason("forged", WorkerPoolReason.AtMaximum);
        String ready = Keyspace.ofNamespace(client.getNamespace()).poolReady("forged");
        REDIS.store().ask(redis -> redis.zadd(ready, 1, "x".repeat(64 << 20)));
        awaitReason("forged", WorkerPoolReason.FiguresMissing);
        assertThat(kubelet.live("forged")).as("they stay").hasSize(2);
        REDIS.store().ask(redis -> redis.del(ready));
        seen.awaitPods("forged", 0);
        assertThat(kubelet.pods("honest")).isEmpty();
    }

    @Test
    void whileRedisIsAwayThePodsStay() {
        start();
        pool("cut", 0, upTo(2, 0));
        work("cut-set", "cut", 2000);
        allStart("cut", 2);
        seen.awaitPool("cut", s -> s.readyReplicas() == 2);
        REDIS.process().pause();
        try {
            awaitReason("cut", WorkerPoolReason.FiguresMissing);
            assertThat(kubelet.live("cut")).hasSize(2);
            assertThat(seen.pool("cut").orElseThrow().desiredReplicas()).isEqualTo(2);
        } finally {
            REDIS.process().resume();
        }
        suspend("cut-set");
        seen.awaitPods("cut", 0);
    }

    @Test
    void threeHundredPoolsFollowTheirWork() {
        start();
        List<String> pools = IntStream.range(0, 300).mapToObj(i -> "many-" + i).toList();
        pools.forEach(name -> pool(name, 0, upTo(1, 0)));
        List<String> needed = pools.stream().filter(name -> name.endsWith("7")).toList();
        needed.forEach(name -> work(name, name, 1));
        needed.forEach(name -> seen.awaitPods(name, 1));
        pools.stream()
                .filter(name -> !needed.contains(name))
                .forEach(name -> assertThat(kubelet.pods(name)).as(name).isEmpty());
        needed.forEach(this::suspend);
        needed.forEach(name -> seen.awaitPods(name, 0));
    }
}
