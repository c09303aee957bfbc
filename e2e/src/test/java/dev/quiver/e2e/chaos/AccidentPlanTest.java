package dev.quiver.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

class AccidentPlanTest {

    @Test
    void aSeedHasOnePlanWithEachAccidentInTime() {
        LongStream.range(0, 100).forEach(seed -> {
            AccidentPlan plan = AccidentPlan.of(seed, 1000);
            assertThat(AccidentPlan.of(seed, 1000)).isEqualTo(plan);
            assertThat(plan.steps()).extracting(AccidentPlan.Step::accident).contains(Accident.values());
            assertThat(plan.steps())
                    .extracting(AccidentPlan.Step::due)
                    .isSorted()
                    .allMatch(due -> due > 0 && due <= 1000);
        });
        assertThat(AccidentPlan.of(1, 1000)).isNotEqualTo(AccidentPlan.of(2, 1000));
    }

    @Test
    void aShareIsOneOfTheList() {
        assertThat(AccidentPlan.pick(List.of("a", "b"), 0)).isEqualTo("a");
        assertThat(AccidentPlan.pick(List.of("a", "b"), 0.5)).isEqualTo("b");
        assertThat(AccidentPlan.pick(List.of("a", "b"), Math.nextDown(1.0))).isEqualTo("b");
    }
}
