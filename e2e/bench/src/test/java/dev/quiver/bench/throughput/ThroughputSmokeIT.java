package dev.quiver.bench.throughput;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.quiver.bench.Figure;
import dev.quiver.bench.Lab;
import dev.quiver.bench.MissingPartException;
import dev.quiver.bench.Pace;
import dev.quiver.bench.Report;

class ThroughputSmokeIT {

    private static final List<String> CONTENDERS =
            List.of("asynq", "bullmq", "quiver", "quiver, history on", "quiver, process per slot");

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void measuresEveryContenderAtEveryDistance() throws Exception {
        Pace pace = Pace.SMOKE;
        try (Lab lab = Lab.open(Path.of("../..").toAbsolutePath().normalize(), pace, false)) {
            Report report = new ThroughputBench().run(lab);
            List<String> expected = pace.delays().stream()
                    .flatMap(delay -> pace.slots().stream()
                            .flatMap(slots -> CONTENDERS.stream()
                                    .map(name -> "%s, slots=%d, delay=%dms".formatted(name, slots, delay.toMillis()))))
                    .toList();
            assertThat(report.figures().stream().map(Figure::figure)).containsExactlyInAnyOrderElementsOf(expected);
            assertThat(report.figures())
                    .allSatisfy(figure -> assertThat(figure.value()).isPositive());
        } catch (MissingPartException missing) {
            Assumptions.abort(missing.getMessage());
        }
    }
}
