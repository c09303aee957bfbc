package dev.quiver.lifecycle.taskset;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.ordinals.ExecutionSpec;

class TaskSetTaskTest {

    @Test
    void namesATaskWithAnUnreadablePayloadByItsOrdinal() {
        ExecutionSpec spec = new ExecutionSpec(
                "specs", List.of("true"), List.of(), List.of(), Optional.empty(), new ExecutionSpec.TaskSource.Items());
        assertThat(new TaskSetTask("uid", spec, 3, 1, Optional.of("{\"name\":\"spec/a\"}")).name())
                .isEqualTo("spec/a");
        assertThat(new TaskSetTask("uid", spec, 3, 1, Optional.of("{")).name()).isEqualTo("3");
    }
}
