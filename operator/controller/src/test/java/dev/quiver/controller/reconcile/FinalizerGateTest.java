package dev.quiver.controller.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import org.junit.jupiter.api.Test;

class FinalizerGateTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:01:00Z");

    private final FinalizerGate gate =
            new FinalizerGate(null, Duration.ofSeconds(60), Clock.fixed(NOW, ZoneOffset.UTC));
    private final List<String> left = new ArrayList<>();

    @Test
    void opensWhenTheKeysAreDropped() {
        DeleteControl control = pass(deletedAt(NOW.minusSeconds(3600)), true);
        assertThat(control.isRemoveFinalizer()).isTrue();
        assertThat(left).isEmpty();
    }

    @Test
    void isTriedAgainSoonWhileRedisIsAway() {
        DeleteControl control = pass(deletedAt(NOW.minusSeconds(59)), false);
        assertThat(control.isRemoveFinalizer()).isFalse();
        assertThat(control.getScheduleDelay()).contains(2000L);
        assertThat(left).isEmpty();
    }

    private DeleteControl pass(HasMetadata resource, boolean dropped) {
        return gate.pass(resource, dropped, "it", () -> left.add("left"));
    }

    private static HasMetadata deletedAt(Instant at) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withDeletionTimestamp(at.toString())
                .endMetadata()
                .build();
    }
}
