package dev.quiver.controller.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.pool.scaling.Decision;
import dev.quiver.controller.pool.scaling.Need;
import dev.quiver.controller.pool.scaling.ScalingMemory;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.controller.store.StoreState;
import dev.quiver.crds.v1alpha1.Autoscaling;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.crds.v1alpha1.WorkerPoolStatusBuilder;

class AutoscalingConditionTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Need SOME = new Need(4, 12, 0, 480);

    private static WorkerPool pool(int replicas, Autoscaling how, boolean suspend) {
        WorkerPool pool = Samples.pool("p", replicas);
        pool.setSpec(WorkerPoolSpecBuilder.builder(pool.getSpec())
                .autoscaling(how)
                .suspend(suspend)
                .build());
        return pool;
    }

    private static Autoscaling upTo(int most) {
        return new Autoscaling(most, null, null, null);
    }

    private static Optional<Decision> decision(int desired, Need need) {
        return Optional.of(new Decision(desired, Optional.ofNullable(need), ScalingMemory.EMPTY, Optional.empty()));
    }

    private static Optional<Condition> condition(
            WorkerPool pool, Optional<Decision> decision, Instant asked, Condition... before) {
        PoolView view = PoolViewBuilder.builder()
                .pool(pool)
                .before(WorkerPoolStatusBuilder.builder()
                        .conditions(List.of(before))
                        .build())
                .hash("h")
                .pods(List.of())
                .store(new StoreState.Up(NOW))
                .prefix(new GrantedPrefixes.Use.None())
                .now(NOW)
                .scaling(decision)
                .asked(Optional.ofNullable(asked))
                .build();
        Conditions fresh = new Conditions(List.of(before), 1, NOW);
        AutoscalingCondition.set(view, fresh);
        return fresh.list().stream().findFirst();
    }

    private static String reason(int replicas, int most, int desired, Need need) {
        return condition(pool(replicas, upTo(most), false), decision(desired, need), NOW)
                .orElseThrow()
                .getReason();
    }

    @Test
    void aPoolWithoutAutoscalingHasNone() {
        assertThat(condition(pool(1, null, false), Optional.empty(), null)).isEmpty();
    }

    @Test
    void saysWhereThePoolIsBetweenItsBounds() {
        assertThat(reason(0, 9, 0, Need.NONE)).isEqualTo("AtMinimum");
        assertThat(reason(4, 9, 4, SOME)).isEqualTo("AtMinimum");
        assertThat(reason(0, 9, 4, SOME)).isEqualTo("FollowsBacklog");
        assertThat(reason(0, 4, 4, SOME)).isEqualTo("AtMaximum");
        assertThat(reason(0, 3, 3, SOME)).isEqualTo("AtMaximum");
        assertThat(reason(3, 3, 3, SOME)).isEqualTo("AtMaximum");
        assertThat(reason(3, 3, 3, Need.NONE)).isEqualTo("AtMinimum");
    }

    @Test
    void hasTheFigures() {
        assertThat(condition(pool(0, upTo(9), false), decision(4, SOME), NOW)
                        .orElseThrow()
                        .getMessage())
                .isEqualTo("12 tasks wait; 480 s of work need 4 pods.");
        assertThat(condition(pool(0, upTo(9), false), decision(1, new Need(1, 1, 1, 0)), NOW)
                        .orElseThrow()
                        .getMessage())
                .isEqualTo("1 task waits; 0 s of work need 1 pod. No worker takes 1 of them.");
    }

    @Test
    void isFalseWhileNothingFollows() {
        Condition suspended =
                condition(pool(0, upTo(9), true), Optional.empty(), NOW).orElseThrow();
        assertThat(suspended.getStatus() + suspended.getReason()).isEqualTo("FalseSuspended");
        Autoscaling reports = new Autoscaling(9, Autoscaling.Mode.Report, null, null);
        Condition reporting =
                condition(pool(0, reports, false), decision(4, SOME), NOW).orElseThrow();
        assertThat(reporting.getStatus() + reporting.getReason()).isEqualTo("FalseReporting");
        assertThat(reporting.getMessage()).contains("12 tasks wait").endsWith("The number is only shown.");
    }

    @Test
    void theLastFiguresStandForTenSeconds() {
        Condition before = new ConditionBuilder()
                .withType("Autoscaling")
                .withStatus("True")
                .withReason("FollowsBacklog")
                .withMessage("as it was")
                .build();
        WorkerPool pool = pool(0, upTo(9), false);
        assertThat(condition(pool, decision(4, null), NOW.minusSeconds(9), before)
                        .orElseThrow()
                        .getMessage())
                .isEqualTo("as it was");
        assertThat(condition(pool, decision(4, null), NOW.minusSeconds(9))).isEmpty();
        Condition missing =
                condition(pool, decision(4, null), NOW.minusSeconds(10), before).orElseThrow();
        assertThat(missing.getStatus() + missing.getReason()).isEqualTo("FalseFiguresMissing");
        assertThat(condition(pool, decision(4, null), null).orElseThrow().getReason())
                .isEqualTo("FiguresMissing");
    }
}
