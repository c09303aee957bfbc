package dev.quiver.controller.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.controller.rig.OperatorRig;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.rig.Seen;
import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.StaleLeaderException;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.taskset.StatusChange;

/** One leads, and what an earlier one still says is refused. */
@ExtendWith(ApiServer.class)
class LeadershipIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private OperatorRig first;
    private OperatorRig second;

    @BeforeEach
    void prepare(KubernetesClient client) {
        first = OperatorRig.of(
                client.getConfiguration(),
                client.getNamespace(),
                REDIS.process().uri());
        second = OperatorRig.of(
                client.getConfiguration(),
                client.getNamespace(),
                REDIS.process().uri());
    }

    @AfterEach
    void end(KubernetesClient client) {
        client.resources(TaskSet.class).delete();
        first.close();
        second.close();
        client.leases().withName("quiver-operator").delete();
    }

    @Test
    void theNextLeaderTakesOverAtOnceAndAnEarlierTermIsRefused(KubernetesClient client) {
        Seen seen = new Seen(client);
        first.start();
        Seen.until(() -> first.operator().leading(), leads -> leads);
        second.start();
        client.resource(Samples.set("inherited", Samples.counted(3).replicas(0)))
                .create();
        seen.awaitRun("inherited", s -> s.total() != null);
        assertThat(second.operator().leading()).isFalse();
        long before = term(client);

        String holder = holder(client);
        assertThat(holder).isNotEmpty();

        first.stop();
        assertThat(holder(client)).as("the lease was given back").isNotEqualTo(holder);
        Seen.until(() -> second.operator().leading(), leads -> leads);
        assertThat(term(client)).isGreaterThan(before);
        assertThat(first.lost).hasValue(0);
        client.resources(TaskSet.class).withName("inherited").scale(1);
        seen.awaitPods("tset-inherited", 1);

        String uid = client.resources(TaskSet.class)
                .withName("inherited")
                .get()
                .getMetadata()
                .getUid();
        try (RedisStore redis = REDIS.open()) {
            var stale = new Lifecycle(redis).control(Keyspace.ofNamespace(client.getNamespace()), before);
            assertThatThrownBy(() -> stale.changeStatus(uid, new StatusChange.Cancel()))
                    .isInstanceOf(StaleLeaderException.class);
        }
    }

    @Test
    void whoLosesTheLeaseStopsAtOnce(KubernetesClient client) {
        first.start();
        Seen.until(() -> first.operator().leading(), leads -> leads);
        client.leases()
                .withName("quiver-operator")
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        "{\"spec\":{\"holderIdentity\":\"another\",\"leaseTransitions\":" + (term(client) + 1) + "}}");
        Seen.until(first.lost::get, times -> times == 1);
        assertThat(first.operator().leading()).isFalse();
    }

    @Test
    void aLeaseThatWasDeletedDoesNotLockTheNextLeaderOut(KubernetesClient client) {
        Seen seen = new Seen(client);
        first.start();
        Seen.until(() -> first.operator().leading(), leads -> leads);
        client.resource(Samples.set("old", Samples.counted(3).replicas(0))).create();
        seen.awaitRun("old", s -> s.total() != null);
        long before = term(client);
        first.stop();
        client.leases().withName("quiver-operator").delete();
        second.start();
        Seen.until(() -> second.operator().leading(), leads -> leads);
        assertThat(term(client)).isGreaterThan(before);
        client.resource(Samples.set("fresh", Samples.counted(3).replicas(0))).create();
        seen.awaitRun("fresh", s -> s.total() != null && s.total() == 3);
        assertThat(second.lost).hasValue(0);
    }

    @Test
    void aTermThatNoLeaderWroteIsTakenBackAndFollowedNowhere(KubernetesClient client) {
        Seen seen = new Seen(client);
        String meta = Keyspace.ofNamespace(client.getNamespace()).meta();
        first.start();
        client.resource(Samples.set("mine", Samples.counted(3).replicas(0))).create();
        seen.awaitRun("mine", s -> s.total() != null);
        long before = term(client);
        try (RedisStore redis = REDIS.open()) {
            for (String term : List.of("1073741824", "1073741824.5", "1e300", "nan", "none")) {
                redis.ask(r -> r.hset(meta, "term", term));
                Seen.until(() -> redis.ask(r -> r.hget(meta, "term")), now -> now.equals(Long.toString(before)));
            }
        }
        seen.awaitRun("mine", ConditionType.StoreReachable, StoreReason.Connected);
        assertThat(term(client)).isEqualTo(before);
        assertThat(first.lost).hasValue(0);
    }

    @Test
    void drainMarksOfPodsThatWentWhileNobodyLedAreTakenBack(KubernetesClient client) {
        String marks = Keyspace.ofNamespace(client.getNamespace()).poolDraining("left");
        client.resource(Samples.pool("left", 0)).create();
        try (RedisStore redis = REDIS.open()) {
            redis.ask(r -> r.sadd(marks, "pod-of-before"));
            first.start();
            Seen.until(() -> redis.ask(r -> r.scard(marks)), count -> count == 0);
        }
        client.resources(WorkerPool.class).withName("left").delete();
        Seen.gone(() -> client.resources(WorkerPool.class).withName("left").get());
    }

    private static String holder(KubernetesClient client) {
        String holder =
                client.leases().withName("quiver-operator").get().getSpec().getHolderIdentity();
        return holder == null ? "" : holder;
    }

    private static long term(KubernetesClient client) {
        return client.leases().withName("quiver-operator").get().getSpec().getLeaseTransitions();
    }
}
