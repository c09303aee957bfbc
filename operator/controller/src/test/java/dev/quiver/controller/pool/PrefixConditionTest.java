package dev.quiver.controller.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.Condition;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.status.Event;
import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.controller.store.StoreState;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.GrantedPrefix;
import dev.quiver.crds.v1alpha1.PrefixWire;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolReason;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;
import dev.quiver.crds.v1alpha1.WorkerPoolStatusBuilder;

class PrefixConditionTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private static WorkerPoolStatus status(WorkerPoolStatus before, String prefix, boolean cluster) {
        return status(before, prefix.isEmpty() ? null : new GrantedPrefix(prefix, null), cluster);
    }

    private static WorkerPoolStatus status(WorkerPoolStatus before, GrantedPrefix keys, boolean cluster) {
        WorkerPool pool = Samples.pool("default", 0);
        pool.getMetadata().setNamespace("a");
        pool.getMetadata().setGeneration(1L);
        pool.setSpec(WorkerPoolSpecBuilder.builder(pool.getSpec())
                .grantedPrefix(keys)
                .build());
        return PoolStatusCalculator.of(
                PoolViewBuilder.builder()
                        .pool(pool)
                        .before(before)
                        .hash("h")
                        .pods(List.of())
                        .blocker(Optional.empty())
                        .store(new StoreState.Up(NOW))
                        .registry(Optional.empty())
                        .prefix(new GrantedPrefixes(Map.of("a", "idoit:"), cluster).of(pool))
                        .now(NOW)
                        .build(),
                PoolMemory.EMPTY);
    }

    private static WorkerPoolStatus status(String prefix, boolean cluster) {
        return status(WorkerPoolStatusBuilder.builder().build(), prefix, cluster);
    }

    private static Condition condition(WorkerPoolStatus status) {
        return Conditions.find(status.conditions(), ConditionType.PrefixGranted).orElseThrow();
    }

    @Test
    void aPoolWithoutTheFieldHasNeitherConditionNorNumber() {
        WorkerPoolStatus status = status(status("idoit:", false), "", false);
        assertThat(Conditions.find(status.conditions(), ConditionType.PrefixGranted))
                .isEmpty();
        assertThat(status.idoitPoolID()).isNull();
    }

    @Test
    void aPoolThatWorksUnderItsPrefixHasTheNumberOfTheFirstIdoit() {
        WorkerPoolStatus status = status("idoit:", false);
        assertThat(condition(status).getStatus()).isEqualTo("True");
        assertThat(condition(status).getReason()).isEqualTo(WorkerPoolReason.PrefixGranted.name());
        assertThat(condition(status).getMessage()).contains("\"idoit:\"", "default");
        assertThat(status.idoitPoolID()).isEqualTo(979_179_195_392_406L);
    }

    @Test
    void aPoolOfMapReduceProgramsHasNoNumber() {
        GrantedPrefix keys = new GrantedPrefix("idoit:", null, PrefixWire.Queue);
        WorkerPoolStatus status = status(status("idoit:", false), keys, false);
        assertThat(condition(status).getStatus()).isEqualTo("True");
        assertThat(condition(status).getMessage()).isEqualTo("The pool runs the map-reduce jobs under \"idoit:\".");
        assertThat(status.idoitPoolID()).isNull();
    }

    @Test
    void aRefusalIsAConditionAndAnEventAndNothingElse() {
        WorkerPoolStatus before = status("idoit:", false);
        WorkerPoolStatus after = status(before, "other:", false);
        assertThat(condition(after).getStatus()).isEqualTo("False");
        assertThat(condition(after).getReason()).isEqualTo(WorkerPoolReason.NotGranted.name());
        assertThat(after.idoitPoolID()).isNull();
        assertThat(Conditions.find(after.conditions(), ConditionType.Ready)
                        .orElseThrow()
                        .getReason())
                .isEqualTo(WorkerPoolReason.AllReplicasReady.name());
        assertThat(PoolEvents.of(before, after))
                .containsExactly(Event.warning(
                        WorkerPoolReason.NotGranted.name(), condition(after).getMessage()));
        assertThat(PoolEvents.of(after, status(after, "other:", false))).isEmpty();
        assertThat(PoolEvents.of(after, status(after, "third:", false))).hasSize(1);
        assertThat(condition(status("idoit:", true)).getReason()).isEqualTo(WorkerPoolReason.RedisCluster.name());
        assertThat(PoolEvents.of(after, before)).isEmpty();
    }
}
