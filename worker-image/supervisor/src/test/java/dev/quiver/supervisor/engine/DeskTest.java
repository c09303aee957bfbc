package dev.quiver.supervisor.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.taskset.Claim;
import dev.quiver.lifecycle.taskset.ExecutionSpec;
import dev.quiver.lifecycle.taskset.Place;
import dev.quiver.lifecycle.taskset.Settlement;
import dev.quiver.lifecycle.taskset.StepCall;
import dev.quiver.lifecycle.taskset.TaskFailure;

class DeskTest {

    private static final Claim CLAIM = new Claim("uid", 3, 1, 1, Place.slot(0, 1), Optional.empty());
    private static final Settlement PASSED = new Settlement.Passed(CLAIM, Duration.ZERO);
    private static final Settlement FAILED = new Settlement.Failed(
            CLAIM, Duration.ZERO, TaskFailure.of("3", 1, Optional.of(1), Optional.empty(), "NonZeroExit", "it broke"));

    private final Desk desk = new Desk(
            "uid",
            new ExecutionSpec(
                    "specs",
                    List.of("true"),
                    List.of(),
                    List.of(),
                    Optional.empty(),
                    new ExecutionSpec.TaskSource.Count(1_000)));

    private void add(int number, Settlement settlement) {
        for (int i = 0; i < number; i++) {
            desk.add(new Desk.Result(null, settlement, false, 0));
        }
    }

    @Test
    void aStepTakesAsManyPassesAsTheBatchHolds() {
        add(300, PASSED);
        assertThat(desk.fitting(256)).isEqualTo(256);
        desk.take(256);
        assertThat(desk.fitting(256)).isEqualTo(44);
    }

    @Test
    void aStepTakesNoMoreFailuresThanTheContractAllows() {
        add(10, PASSED);
        add(100, FAILED);
        add(10, PASSED);
        assertThat(desk.fitting(256)).isEqualTo(10 + StepCall.MAX_FAILURES);
        assertThat(desk.fitting(20)).isEqualTo(20);
        desk.take(10 + StepCall.MAX_FAILURES);
        assertThat(desk.fitting(256)).isEqualTo(46);
    }
}
