package dev.quiver.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;

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
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.lifecycle.Keyspace;
import dev.quiver.lifecycle.RedisServer;
import dev.quiver.lifecycle.RedisStore;
import dev.quiver.lifecycle.StaleLeaderException;
import dev.quiver.lifecycle.taskset.Ending;
import dev.quiver.lifecycle.taskset.OwnDialect;

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
            var stale = new OwnDialect(redis).control(Keyspace.ofNamespace(client.getNamespace()), before);
            assertThatThrownBy(() -> stale.end(uid, new Ending.Cancel())).isInstanceOf(StaleLeaderException.class);
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
    void aLeaseThatWasDeletedDoesNotLockTheLeaderOut(KubernetesClient client) {
        Seen seen = new Seen(client);
        try (RedisStore redis = REDIS.open()) {
            new OwnDialect(redis)
                    .health(Keyspace.ofNamespace(client.getNamespace()), 41)
                    .observe(Optional.empty());
        }
        first.start();
        client.resource(Samples.set("fresh", Samples.counted(3).replicas(0))).create();
        seen.awaitRun("fresh", s -> s.total() != null && s.total() == 3);
        assertThat(term(client)).isGreaterThan(41);
        assertThat(first.lost).hasValue(0);
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
