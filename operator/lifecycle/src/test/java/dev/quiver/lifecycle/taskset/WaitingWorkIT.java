package dev.quiver.lifecycle.taskset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.execution.Execution;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.StoreRefusedException;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Retry;
import dev.quiver.lifecycle.worker.SourceLoad;
import dev.quiver.lifecycle.worker.WaitingWork;
import dev.quiver.lifecycle.worker.WorkerSession;

/** The facts that the sizing of a pool learns about its TaskSets, also when a tenant wrote it. */
class WaitingWorkIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private World world;
    private WaitingWork waiting;

    @BeforeEach
    void makeWorld() {
        world = new World(new Lifecycle(REDIS.store()));
        waiting = world.lifecycle.waiting(world.keyspace);
    }

    @AfterEach
    void closeWorld() {
        world.close();
    }

    private List<SourceLoad> loads() {
        return waiting.of(List.of("p")).get("p");
    }

    private String set(String uid) {
        return new TaskSetKeys(world.keyspace, uid).set();
    }

    @Test
    void aPoolWithoutWorkHasNoSource() {
        assertThat(waiting.of(List.of("p", "none"))).isEqualTo(Map.of("p", List.of(), "none", List.of()));
        assertThat(waiting.of(List.of())).isEmpty();
    }

    @Test
    void hasTheNumbersOfEachSourceThatWaits() throws InterruptedException {
        world.open("u", 10, 3);
        assertThat(loads()).singleElement().satisfies(load -> {
            assertThat(load.source()).isEqualTo("u");
            assertThat(load.claimable()).isEqualTo(10);
            assertThat(load.maxWorkers()).isEqualTo(3);
            assertThat(load.sessions()).isZero();
            assertThat(load.trials()).isZero();
            assertThat(load.sinceFirst()).isEmpty();
            assertThat(load.sinceProgress()).isEmpty();
            assertThat(load.handler()).isEmpty();
        });
        WorkerSession session = world.session("a");
        List<Claim> claims = World.claim(session, "u", 4);
        World.step(
                session,
                "u",
                List.of(
                        World.passed(claims.get(0)),
                        World.failed(claims.get(1), new Retry.After(Duration.ofHours(1))),
                        World.lost(claims.get(2))),
                0);
        assertThat(loads()).singleElement().satisfies(load -> {
            assertThat(load.left()).isEqualTo(9);
            assertThat(load.running()).isEqualTo(1);
            assertThat(load.delayed()).isEqualTo(1);
            assertThat(load.claimable()).isEqualTo(7);
            assertThat(load.sessions()).isEqualTo(1);
            assertThat(load.trials()).isEqualTo(2);
            assertThat(load.runTime()).isEqualTo(Duration.ofMillis(150));
            assertThat(load.sinceFirst()).isPresent();
            assertThat(load.sinceProgress().orElseThrow()).isLessThan(Duration.ofMinutes(1));
        });
    }

    @Test
    void namesTheFunctionThatASetNeeds() {
        world.control.open(TaskSetOpening.of(
                "u",
                "p",
                new ExecutionSpec(
                        "nightly",
                        new Execution.Handler("resize"),
                        List.of(),
                        Optional.empty(),
                        new TaskSource.Count(3),
                        Optional.empty()),
                TaskSetLimits.DEFAULT));
        assertThat(loads()).extracting(SourceLoad::handler).containsExactly("resize");
    }

    @Test
    void whatIsSuspendedHasAllItsWorkersOrWaitsForARetryIsNotNamed() throws InterruptedException {
        world.open("suspended", 5);
        world.control.changeStatus("suspended", new StatusChange.Suspend());
        world.open("full", 5, 1);
        World.claim(world.session("a"), "full", 2);
        world.open("delayed", 1);
        WorkerSession session = world.session("b");
        World.step(
                session,
                "delayed",
                List.of(World.failed(
                        World.claim(session, "delayed", 1).getFirst(), new Retry.After(Duration.ofHours(1)))),
                0);
        assertThat(loads()).isEmpty();
        Map<String, List<SourceLoad>> named =
                waiting.in(Map.of("p", List.of("full", "delayed", "gone", "tasks:no/pool"), "q", List.of()));
        assertThat(named.get("q")).isEmpty();
        assertThat(named.get("p"))
                .extracting(SourceLoad::source, SourceLoad::left, SourceLoad::running, SourceLoad::delayed)
                .containsExactly(tuple("full", 5L, 2L, 0L), tuple("delayed", 1L, 0L, 1L), tuple("gone", 0L, 0L, 0L));
    }

    @Test
    void readsSoManySourcesOfAPoolAtMost() {
        IntStream.range(0, 300).forEach(i -> world.open("u" + i, 1));
        assertThat(loads()).hasSize(WaitingWork.MOST_SOURCES);
        assertThat(waiting.of(List.of("p", "p2", "p3")).get("p")).hasSize(WaitingWork.MOST_SOURCES);
    }

    @Test
    void numbersThatATenantWroteAreBounded() {
        world.open("u", 5);
        REDIS.store()
                .ask(redis -> redis.hset(
                        set("u"),
                        Map.of(
                                "left", "1000000000000000",
                                "running", "-4",
                                "delayed", "nan",
                                "trials", "1e9",
                                "run_ms", "999999999999999",
                                "first_at", "99999999999999",
                                "progress_at", "",
                                "max_workers", "two",
                                "handler", "\u0000")));
        assertThat(loads()).singleElement().satisfies(load -> {
            assertThat(load.left()).isZero();
            assertThat(load.running()).isZero();
            assertThat(load.delayed()).isZero();
            assertThat(load.claimable()).isZero();
            assertThat(load.trials()).isZero();
            assertThat(load.runTime()).isEqualTo(Duration.ofMillis(999_999_999_999_999L));
            assertThat(load.sinceFirst()).contains(Duration.ZERO);
            assertThat(load.sinceProgress()).isEmpty();
            assertThat(load.maxWorkers()).isZero();
        });
    }

    @Test
    void whatIsTooLargeIsRefusedInWordsWithItsKey() {
        world.open("u", 5);
        REDIS.store().ask(redis -> redis.hset(set("u"), "handler", "h".repeat(5000)));
        assertThatThrownBy(this::loads)
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining(set("u"));
        String ready = world.keyspace.poolReady("p");
        REDIS.store().ask(redis -> redis.zadd(ready, 1, "x".repeat(64 << 20)));
        assertThatThrownBy(this::loads)
                .isInstanceOf(StoreRefusedException.class)
                .hasMessageContaining(ready);
    }

    @Test
    void aSourceThatCanBeNoneIsLeftOut() {
        world.open("u", 5);
        String ready = world.keyspace.poolReady("p");
        REDIS.store().ask(redis -> redis.zadd(ready, 1, "../../other"));
        REDIS.store().ask(redis -> redis.zadd(ready, 2, "newer:kind"));
        REDIS.store().ask(redis -> redis.zadd(ready, 3, "gone"));
        assertThat(loads()).extracting(SourceLoad::source).containsExactlyInAnyOrder("u", "gone");
        assertThat(loads()).extracting(SourceLoad::claimable).containsExactlyInAnyOrder(5L, 0L);
    }
}
