package dev.quiver.controller.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.controller.store.StoreState;
import dev.quiver.crds.v1alpha1.StoreReason;
import dev.quiver.crds.v1alpha1.WorkerPoolStatusBuilder;

class PoolPaceTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration USUAL = Duration.ofSeconds(60);
    private static final StoreState UP = new StoreState.Up(NOW);
    private static final StoreState AWAY = new StoreState.Away(NOW, StoreReason.Unreachable, "");
    private static final PoolPlan CREATES =
            PoolPlanBuilder.builder().create(List.of("p-0")).build();
    private static final PoolMemory REFUSED =
            PoolMemory.EMPTY.with(Optional.of(new Refusal(1, false, "quota", 1, NOW.plusSeconds(5))));

    private static Duration next(StoreState store, PoolPlan plan, PoolMemory memory, boolean told, Duration... waits) {
        PoolView view = PoolViewBuilder.builder()
                .before(WorkerPoolStatusBuilder.builder().build())
                .hash("h")
                .pods(List.of())
                .blocker(Optional.empty())
                .store(store)
                .registry(Optional.empty())
                .prefix(new GrantedPrefixes.Use.None())
                .now(NOW)
                .build();
        return PoolPace.next(view, plan, memory, Stream.of(waits).map(NOW::plus), Optional.empty(), told, USUAL, NOW);
    }

    @Test
    void aPoolThatIsAsItShouldBeIsLookedAtNowAndThen() {
        assertThat(next(UP, PoolPlan.NOTHING, PoolMemory.EMPTY, true)).isEqualTo(USUAL);
        assertThat(next(UP, PoolPlan.NOTHING, PoolMemory.EMPTY, true, Duration.ofHours(1)))
                .isEqualTo(USUAL);
    }

    @Test
    void theFirstThatIsDueDecides() {
        assertThat(next(UP, PoolPlan.NOTHING, PoolMemory.EMPTY, true, Duration.ofSeconds(30), Duration.ofSeconds(9)))
                .isEqualTo(Duration.ofSeconds(9));
        assertThat(next(
                        UP,
                        PoolPlanBuilder.builder()
                                .requeueAt(Optional.of(NOW.plusSeconds(3)))
                                .build(),
                        REFUSED,
                        true))
                .isEqualTo(Duration.ofSeconds(3));
        assertThat(next(UP, PoolPlan.NOTHING, PoolMemory.EMPTY, true, Duration.ofSeconds(-9)))
                .as("due long ago")
                .isEqualTo(Duration.ofMillis(1));
    }

    @Test
    void aStatusThatWaitsForItsTurnIsWrittenThen() {
        PoolView view = PoolViewBuilder.builder()
                .before(WorkerPoolStatusBuilder.builder().build())
                .hash("h")
                .pods(List.of())
                .blocker(Optional.empty())
                .store(UP)
                .registry(Optional.empty())
                .prefix(new GrantedPrefixes.Use.None())
                .now(NOW)
                .build();
        assertThat(PoolPace.next(
                        view,
                        PoolPlan.NOTHING,
                        PoolMemory.EMPTY,
                        Stream.empty(),
                        Optional.of(Duration.ofSeconds(4)),
                        true,
                        USUAL,
                        NOW.plusSeconds(1)))
                .isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void newPodsAreSeenInASecondAndRefusedOnesLater() {
        assertThat(next(UP, CREATES, PoolMemory.EMPTY, true)).isEqualTo(Duration.ofSeconds(1));
        assertThat(next(UP, CREATES, REFUSED, true)).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void redisIsToldAgainWhileItIsThere() {
        assertThat(next(UP, PoolPlan.NOTHING, PoolMemory.EMPTY, false)).isEqualTo(Duration.ofSeconds(5));
        assertThat(next(AWAY, PoolPlan.NOTHING, PoolMemory.EMPTY, false)).isEqualTo(USUAL);
    }
}
