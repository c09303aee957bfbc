package dev.quiver.bench.calls;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.quiver.bench.Figure;
import dev.quiver.bench.Lab;
import dev.quiver.bench.MissingPartException;
import dev.quiver.bench.Pace;
import dev.quiver.bench.Report;

class CallsSmokeIT {

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void measuresTheSlotsAloneAndWithRedis() throws Exception {
        try (Lab lab = Lab.open(Path.of("../..").toAbsolutePath().normalize(), Pace.SMOKE, false)) {
            Report report = new CallsBench().run(lab);
            assertThat(report.figures().stream().map(Figure::figure))
                    .containsExactlyInAnyOrder(
                            "slots alone, slots=4",
                            "C, one at a time, slots=4",
                            "C, batched, slots=4",
                            "Python, one at a time, slots=4",
                            "Python, batched, slots=4",
                            "Python, list, slots=4",
                            "Python, table, slots=4");
            assertThat(report.figures())
                    .allSatisfy(figure -> assertThat(figure.value()).isPositive());
        } catch (MissingPartException missing) {
            Assumptions.abort(missing.getMessage());
        }
    }
}
