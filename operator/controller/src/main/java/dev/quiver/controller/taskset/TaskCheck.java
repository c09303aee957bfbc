package dev.quiver.controller.taskset;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskTemplate;
import dev.quiver.lifecycle.taskset.ExecutionSpec.EnvVar;
import dev.quiver.lifecycle.taskset.InputTooLargeException;
import dev.quiver.lifecycle.taskset.TaskInput;
import dev.quiver.lifecycle.taskset.TaskItem;
import dev.quiver.lifecycle.taskset.TaskSetControl;

/**
 * Tells what is wrong with a task before the first one runs. Pure.
 *
 * @param handler what the set names, absent for commands
 * @param slotBytes of the input of one slot of its pool
 */
record TaskCheck(Optional<String> handler, long slotBytes) {

    /** Either a task as it is fed, or why there is none. */
    sealed interface Result {
        /** A task as a payload. */
        record Good(String payload) implements Result {}

        /** No task: the reason of the run's end, and words without a full stop. */
        record Fault(TaskSetReason reason, String words) implements Result {}
    }

    /** What is wrong with the input of the whole set. */
    Optional<Result.Fault> ofSet(TaskTemplate task) {
        Result result = checked(() -> {
            InputReading.of(task.input()).ifPresent(this::fits);
            return "";
        });
        return result instanceof Result.Fault fault ? Optional.of(fault) : Optional.empty();
    }

    /** An item of the resource. */
    Result ofItem(dev.quiver.crds.v1alpha1.TaskItem item) {
        return checked(() -> {
            List<EnvVar> env = item.env().stream()
                    .map(e -> new EnvVar(e.name(), e.value()))
                    .toList();
            Optional<TaskInput> input = InputReading.of(item.input());
            input.ifPresent(this::fits);
            return new TaskItem(item.name(), item.args(), env, Map.of(), input).toJson();
        });
    }

    /** A line of a ConfigMap. */
    Result ofLine(String line) {
        return checked(() -> {
            if (line.indexOf('\0') >= 0) {
                throw new IllegalArgumentException("holds a NUL character, which no argument can");
            }
            TaskItem item = TaskItem.ofLine(line);
            boolean plain = !line.startsWith("{");
            if (handler.isPresent() && !plain && !item.args().isEmpty()) {
                throw new IllegalArgumentException(
                        "has args, and handler \"" + handler.get() + "\" takes none: use input");
            }
            if (handler.isEmpty() && item.input().isPresent()) {
                throw new IllegalArgumentException("has input, which needs spec.task.handler");
            }
            item.input().ifPresent(this::fits);
            return line;
        });
    }

    private void fits(TaskInput input) {
        int bytes = input.payload().bytes().length;
        if (bytes > slotBytes) {
            throw new SlotTooSmall("input has " + bytes + " bytes, and slots.inputSize of the pool is " + slotBytes
                    + ": make the slots larger or use a locator");
        }
    }

    private static Result checked(Supplier<String> task) {
        try {
            String payload = task.get();
            int bytes = payload.getBytes(StandardCharsets.UTF_8).length;
            return bytes <= TaskSetControl.MAX_PAYLOAD_BYTES
                    ? new Result.Good(payload)
                    : new Result.Fault(
                            TaskSetReason.SourceInvalid,
                            "has " + bytes + " bytes; at most " + TaskSetControl.MAX_PAYLOAD_BYTES + " are allowed");
        } catch (SlotTooSmall | InputTooLargeException e) {
            return new Result.Fault(TaskSetReason.InputTooLarge, e.getMessage());
        } catch (IllegalArgumentException e) {
            return new Result.Fault(TaskSetReason.SourceInvalid, e.getMessage());
        }
    }

    /** Found within the check, said by it. */
    private static final class SlotTooSmall extends RuntimeException {
        private static final long serialVersionUID = 1L;

        SlotTooSmall(String message) {
            super(message, null, false, false);
        }
    }
}
