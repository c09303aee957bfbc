package dev.quiver.controller.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.rig.Samples;
import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.controller.store.PoolQueue;
import dev.quiver.controller.store.StoreState;
import dev.quiver.crds.v1alpha1.PoolResourceStatus;
import dev.quiver.crds.v1alpha1.ResourceState;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.crds.v1alpha1.WorkerPoolStatusBuilder;

/** The metrics of each pool are bounded in number and in bytes. */
class PoolFiguresTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final int MOST_BYTES = 2_000_000;

    private final PrometheusMeterRegistry metrics = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final PoolFigures figures = new PoolFigures(
            _ -> Optional.of(new PoolQueue(1_000_000, 1000, 1000, 7, Optional.of(NOW), Duration.ofHours(1))),
            new DesiredReplicas(metrics));

    @BeforeEach
    void register() {
        metrics.getPrometheusRegistry().register(figures);
    }

    private List<PoolResourceStatus> resources = List.of();

    private static WorkerPool pool(int number) {
        return named(Samples.pool("a-pool-with-a-name-of-some-length-" + number, 1), number);
    }

    private static WorkerPool named(WorkerPool pool, int number) {
        pool.getMetadata().setNamespace("a-namespace-of-a-team-" + number);
        pool.getMetadata().setUid("uid-" + number);
        return pool;
    }

    private void note(int number) {
        note(pool(number));
    }

    private void note(WorkerPool pool) {
        PoolView view = PoolViewBuilder.builder()
                .pool(pool)
                .before(WorkerPoolStatusBuilder.builder().build())
                .hash("h")
                .pods(List.of())
                .blocker(Optional.empty())
                .store(new StoreState.Up(NOW))
                .registry(Optional.empty())
                .prefix(new GrantedPrefixes.Use.None())
                .now(NOW)
                .scaling(Optional.empty())
                .build();
        figures.note(
                pool,
                view,
                WorkerPoolStatusBuilder.builder()
                        .slots(64)
                        .busySlots(60)
                        .resources(resources)
                        .build());
    }

    private static PoolResourceStatus resource(String name, long waiting) {
        return new PoolResourceStatus(
                name, ResourceState.Missing, null, null, waiting, null, null, null, List.of(), null);
    }

    /** The pool's status has those first for which most wait. */
    @Test
    void countsTheTasksThatWaitForTheFirstResources() {
        resources = IntStream.range(0, 20)
                .mapToObj(i -> resource("tenant!" + i, i == 1 ? 0 : 100 - i))
                .toList();
        note(1);
        assertThat(metrics.scrape().lines().filter(line -> line.startsWith("quiver_resource_wanted{")))
                .hasSize(PoolFigures.MOST_WANTED)
                .anySatisfy(line -> assertThat(line).endsWith(",resource=\"tenant!0\"} 100.0"))
                .noneSatisfy(line -> assertThat(line).contains("\"tenant!1\""));
    }

    @Test
    void aScrapeOfAThousandPoolsIsSmall() {
        for (int i = 0; i < 1000; i++) {
            note(i);
        }
        metrics.scrape();
        long begun = System.nanoTime();
        String text = metrics.scrape();
        System.out.println("a scrape of 1,000 pools: " + text.length() + " bytes, "
                + Duration.ofNanos(System.nanoTime() - begun).toMillis() + " ms");
        assertThat(text.length()).isLessThan(MOST_BYTES);
        assertThat(text)
                .as("no fewer tasks run than slots are busy")
                .contains("state=\"running\"} 60.0\n")
                .doesNotContain("state=\"running\"} 7.0\n");
        assertThat(text)
                .contains("quiver_pool_tasks{namespace=\"a-namespace-of-a-team-7\","
                        + "pool=\"a-pool-with-a-name-of-some-length-7\",state=\"queued\"} 1000000.0\n");
    }

    @Test
    void nobodyWaitsForAPoolThatIsSuspendedOrWantsNoPods() {
        note(1);
        assertThat(stalled()).isEqualTo("3600.0");
        WorkerPool none = Samples.pool("none", 0);
        note(named(none, 1));
        assertThat(stalled()).isEqualTo("0.0");
        WorkerPool suspended = Samples.pool("suspended", 1);
        suspended.setSpec(
                WorkerPoolSpecBuilder.builder(suspended.getSpec()).suspend(true).build());
        note(named(suspended, 1));
        assertThat(stalled()).isEqualTo("0.0");
    }

    private String stalled() {
        return metrics.scrape()
                .lines()
                .filter(line -> line.startsWith("quiver_pool_stalled_seconds{"))
                .map(line -> line.substring(line.indexOf('}') + 2))
                .collect(Collectors.joining(" "));
    }

    @Test
    void furtherPoolsAreCountedAndTakeThePlaceOfOneThatGoes() {
        for (int i = 0; i < PoolFigures.MOST_POOLS + 2; i++) {
            note(i);
        }
        assertThat(figures.unlisted()).isEqualTo(2);
        assertThat(listed()).isEqualTo(PoolFigures.MOST_POOLS);
        figures.forget(pool(5));
        note(PoolFigures.MOST_POOLS);
        assertThat(figures.unlisted()).isEqualTo(1);
        figures.forget(pool(PoolFigures.MOST_POOLS + 1));
        assertThat(figures.unlisted()).isZero();
        assertThat(listed()).isEqualTo(PoolFigures.MOST_POOLS);
    }

    private long listed() {
        return metrics.scrape()
                .lines()
                .filter(line -> line.startsWith("quiver_pool_stalled_seconds{"))
                .count();
    }
}
