package dev.quiver.controller.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

import io.fabric8.kubernetes.api.model.Condition;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.pool.podstatus.PodStage;
import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.status.Conditions;
import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.controller.store.StoreState;
import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.WorkerPoolStatusBuilder;

class SlotsConditionTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void aViolationIsToldOfForAnHour() {
        List<Condition> said = after(List.of(), Duration.ZERO, hostile("p-0"));
        assertThat(status(after(said, Duration.ofMinutes(59)))).isEqualTo("False");
        assertThat(status(after(said, Duration.ofMinutes(60)))).isEqualTo("True");
    }

    @Test
    void aLaterViolationIsToldOfForAnHourOfItsOwn() {
        List<Condition> first = after(List.of(), Duration.ZERO, hostile("p-0"));
        List<Condition> second = after(first, Duration.ofMinutes(59), hostile("p-1"));
        List<Condition> later = after(second, Duration.ofMinutes(61));
        assertThat(status(later)).isEqualTo("False");
        assertThat(later.getFirst().getMessage()).contains("p-1");
        assertThat(status(after(later, Duration.ofMinutes(119)))).isEqualTo("True");
    }

    @Test
    void aViolationThatIsSeenTwiceIsOne() {
        List<Condition> first = after(List.of(), Duration.ZERO, hostile("p-0"));
        List<Condition> later = after(first, Duration.ofSeconds(2), hostile("p-0"));
        assertThat(later.getFirst().getLastTransitionTime()).isEqualTo(START.toString());
    }

    private static List<Condition> after(List<Condition> before, Duration since, WorkerPod... pods) {
        Instant now = START.plus(since);
        PoolView view = PoolViewBuilder.builder()
                .pool(Samples.pool("p", 1))
                .before(WorkerPoolStatusBuilder.builder().conditions(before).build())
                .hash("h")
                .pods(List.of(pods))
                .blocker(Optional.empty())
                .store(new StoreState.Up(START))
                .registry(Optional.empty())
                .prefix(new GrantedPrefixes.Use.None())
                .now(now)
                .build();
        Conditions fresh = new Conditions(before, 1, now);
        SlotsCondition.set(view, fresh);
        return fresh.list();
    }

    private static String status(List<Condition> conditions) {
        return Conditions.find(conditions, ConditionType.SlotsIntact)
                .orElseThrow()
                .getStatus();
    }

    private static WorkerPod hostile(String name) {
        return new WorkerPod(
                name,
                "uid-" + name,
                "h",
                START,
                PodStage.READY,
                "",
                Optional.empty(),
                OptionalInt.empty(),
                false,
                Optional.of("words ran backwards"),
                false,
                Optional.empty(),
                Optional.empty());
    }
}
