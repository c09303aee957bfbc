package dev.quiver.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.quiver.bench.history.DelayBench;
import dev.quiver.bench.history.PageBench;
import dev.quiver.bench.history.StepBench;
import dev.quiver.bench.mapreduce.ChunksBench;
import dev.quiver.bench.mapreduce.PhasesBench;
import dev.quiver.bench.scale.PodsBench;
import dev.quiver.bench.scale.ResourcesBench;
import dev.quiver.bench.scheduling.SchedulingBench;
import dev.quiver.bench.task.BytesBench;
import dev.quiver.bench.task.ClientBench;
import dev.quiver.bench.taskset.AcceptanceBench;
import dev.quiver.bench.taskset.OrderBench;

/**
 * Benchmarks of Tasks, map-reduces and the record in short, without peers. Benchmarks that keep all processors busy for
 * a minute even so are left to a run of their own. They run beside each other: whether they work is asked, not how fast.
 */
@Execution(ExecutionMode.CONCURRENT)
class BenchSmokeIT {

    static List<Bench> benches() {
        return List.of(
                new BytesBench(),
                new ClientBench(),
                new ChunksBench(),
                new PhasesBench(),
                new StepBench(),
                new DelayBench(),
                new ResourcesBench(),
                new PodsBench(),
                new PageBench(),
                new OrderBench(),
                new AcceptanceBench(),
                new SchedulingBench());
    }

    @ParameterizedTest
    @MethodSource("benches")
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void measuresWhatItNames(Bench bench) throws Exception {
        try (Lab lab = Lab.open(Path.of("../..").toAbsolutePath().normalize(), Pace.SMOKE, true)) {
            Map<String, Double> figures =
                    bench.run(lab).figures().stream().collect(Collectors.toMap(Figure::figure, Figure::value));
            assertThat(figures).isNotEmpty();
        } catch (MissingPartException missing) {
            Assumptions.abort(missing.getMessage());
        }
    }
}
