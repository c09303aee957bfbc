package dev.quiver.controller.taskset.source;

import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;

import dev.quiver.crds.v1alpha1.TaskInput;
import dev.quiver.crds.v1alpha1.TaskInput.Format;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.lifecycle.execution.ExecutionInput;

/** Maps an input of the resource to one of the Redis contract. Pure. */
public final class InputMapper {

    private InputMapper() {}

    /** The input of every task of the set; an IllegalArgumentException names its fault. */
    public static Optional<ExecutionInput> ofSet(TaskSet set) {
        return of(set.getSpec().task().input());
    }

    /** The input, where there is one; an IllegalArgumentException names its fault. */
    static Optional<ExecutionInput> of(TaskInput input) {
        return Optional.ofNullable(input)
                .map(i -> ExecutionInput.of(
                        Optional.ofNullable(i.json()).map(JsonNode::toString),
                        Optional.ofNullable(i.base64()),
                        Optional.ofNullable(i.locator()),
                        Optional.ofNullable(i.format()).map(Format::name)));
    }
}
