package dev.quiver.bench.handover;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.quiver.bench.Figure;
import dev.quiver.bench.Lab;
import dev.quiver.bench.MissingPartException;
import dev.quiver.bench.Pace;
import dev.quiver.bench.RecordSizes;
import dev.quiver.bench.Report;
import dev.quiver.bench.TaskSizes;

class HandoverSmokeIT {

    private static final Pace SHORT = new Pace(
            1,
            Duration.ofMillis(5),
            Duration.ofMillis(20),
            List.of(1),
            List.of(Duration.ZERO),
            Duration.ZERO,
            Duration.ZERO,
            Duration.ZERO,
            List.of(1),
            1,
            List.of(1),
            1,
            TaskSizes.SMOKE,
            RecordSizes.SMOKE);

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void measuresEveryWayToEveryLanguage() throws Exception {
        try (Lab lab = Lab.open(Path.of("../..").toAbsolutePath().normalize(), SHORT, false)) {
            Report report = new HandoverBench().run(lab);
            Stream<String> ways = Stream.of("C", "Java", "Python")
                    .flatMap(language -> Stream.of("slots", "socket", "pipe").map(way -> language + " " + way));
            List<String> figures = report.figures().stream().map(Figure::figure).toList();
            assertThat(ways)
                    .allSatisfy(way -> assertThat(figures)
                            .contains(way + " 64 B p50", way + " 64 B apart p50", way + " 1 MB p50"));
            assertThat(figures).contains("table slots time", "table socket time", "Java slots, Arrow 1 MB p50");
        } catch (MissingPartException missing) {
            Assumptions.abort(missing.getMessage());
        }
    }
}
