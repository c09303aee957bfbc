package dev.quiver.controller.taskset.source;

import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

import dev.quiver.crds.v1alpha1.EnvEntry;
import dev.quiver.crds.v1alpha1.TaskItem;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskTemplate;
import dev.quiver.lifecycle.execution.EffectiveInput;
import dev.quiver.lifecycle.execution.ExecutionInput;
import dev.quiver.lifecycle.execution.InputTooLargeException;
import dev.quiver.lifecycle.ordinals.ExecutionSpec.EnvVar;
import dev.quiver.lifecycle.ordinals.OrdinalItem;
import dev.quiver.lifecycle.taskset.TaskSetControl;

/**
 * Finds the fault of a task before the first one runs. Pure.
 *
 * @param handler of the set, absent for commands
 * @param input of every task of the set
 * @param need bytes of a slot that a task needs beside its payload
 * @param slotBytes of the input of one slot of its pool
 */
record TaskCheck(Optional<String> handler, Optional<ExecutionInput> input, SlotNeed need, long slotBytes) {

    /** Either a task ready to be fed, or its fault. */
    sealed interface Result {
        /** A task as a payload, and its name. */
        record Good(String payload, String name) implements Result {}

        /** A fault: the reason of the run's end, and a message without a full stop. */
        record Fault(TaskSetReason reason, String message) implements Result {}
    }

    /** The result for parts that are no task by themselves. */
    private static final Result NO_TASK = new Result.Good("", "");

    /** The check for tasks of a set in which {@link #faultOf} finds no fault. */
    static TaskCheck of(TaskTemplate task, long slotBytes) {
        return new TaskCheck(task.handlerName(), InputMapper.of(task.input()), SlotNeed.of(task), slotBytes);
    }

    /** The fault of the part that all tasks share. */
    static Optional<Result.Fault> faultOf(TaskTemplate task, long slotBytes) {
        return fault(() -> {
            texts("command", task.command());
            texts("args", task.args());
            for (EnvEntry entry : task.env()) {
                TaskBounds.text("env " + entry.name(), entry.value());
            }
            Optional.ofNullable(task.workingDir()).ifPresent(path -> TaskBounds.text("workingDir", path));
            of(task, slotBytes).fits(new OrdinalItem("", List.of(), List.of(), Map.of()), Map.of());
            return NO_TASK;
        });
    }

    /** The fault of the tasks of a matrix; its largest task stands for all. */
    Optional<Result.Fault> ofMatrix(Map<String, List<String>> matrix) {
        return fault(() -> {
            Map<String, String> largest = new TreeMap<>();
            matrix.forEach((key, values) -> {
                texts(key, values);
                largest.put(
                        key,
                        values.stream()
                                .max(Comparator.comparingInt(TaskCheck::utf8))
                                .orElse(""));
            });
            fits(new OrdinalItem("", List.of(), List.of(), largest), largest);
            return NO_TASK;
        });
    }

    /** An item of the resource. */
    Result ofItem(TaskItem item) {
        return checked(() -> {
            List<EnvVar> env = item.env().stream()
                    .map(e -> new EnvVar(e.name(), e.value()))
                    .toList();
            OrdinalItem task = new OrdinalItem(
                    item.name(), item.args(), env, Map.of(), InputMapper.of(item.input()), item.muted());
            String payload = sized(task.toJson(), task);
            TaskBounds.check(task);
            fits(task, Map.of());
            return new Result.Good(payload, task.name());
        });
    }

    /** A line of a ConfigMap. */
    Result ofLine(String line) {
        return checked(() -> {
            OrdinalItem item = OrdinalItem.ofWrittenLine(line);
            sized(line, item);
            Map<String, String> keys = OrdinalItem.inputKeys(line);
            boolean plain = !keys.isEmpty();
            if (plain && handler.isEmpty()) {
                TaskBounds.argument("it", line);
            } else if (plain) {
                TaskBounds.text("it", line);
            } else {
                TaskBounds.check(item);
            }
            if (handler.isPresent() && !plain && !item.args().isEmpty()) {
                throw new IllegalArgumentException(
                        "has args, and handler \"" + handler.get() + "\" takes none: use input");
            }
            if (handler.isEmpty() && item.input().isPresent()) {
                throw new IllegalArgumentException("has input, which needs spec.task.handler");
            }
            fits(item, keys);
            return new Result.Good(line, item.name());
        });
    }

    private static void texts(String field, List<String> texts) {
        for (int i = 0; i < texts.size(); i++) {
            TaskBounds.text(field + "[" + i + "]", texts.get(i));
        }
    }

    /** The payload of a task, as it is kept in Redis, within its bound. */
    private static String sized(String payload, OrdinalItem item) {
        int bytes = utf8(payload);
        if (bytes > TaskSetControl.MAX_PAYLOAD_BYTES) {
            String message = "has " + bytes + " bytes; at most " + TaskSetControl.MAX_PAYLOAD_BYTES + " are allowed";
            if (item.input().isPresent()) {
                throw new TooLarge(message + " with its input as JSON, which is about 192 KiB of data in base64: use a"
                        + " locator");
            }
            throw new IllegalArgumentException(message);
        }
        return payload;
    }

    /** Checks the merged input: two JSON objects become one, so neither alone shows whether they fit. */
    private void fits(OrdinalItem item, Map<String, String> keys) {
        long rest = need.of(item);
        if (!plainlyFits(item, keys, rest)) {
            int bytes = handler.map(
                            h -> EffectiveInput.of(input, keys, item.input()).bytes().length)
                    .orElse(0);
            String pool = ", and slots.inputSize of the pool is " + slotBytes + ": make the slots larger";
            if (bytes > slotBytes) {
                throw new TooLarge("input has " + bytes + " bytes" + pool + " or use a locator");
            }
            if (bytes + rest > slotBytes) {
                throw new TooLarge("input, name, arguments and environment need " + (bytes + rest) + " bytes" + pool);
            }
        }
    }

    /** Whether the inputs are far below any bound, as most are: then they need no merging, which takes time. */
    private boolean plainlyFits(OrdinalItem item, Map<String, String> keys, long rest) {
        long inputs = input.map(TaskCheck::bytes).orElse(0)
                + item.input().map(TaskCheck::bytes).orElse(0);
        // A control character takes six bytes of JSON; quotes, colon and comma come with each key.
        long added = keys.entrySet().stream()
                .mapToLong(e -> 6L * (e.getKey().length() + e.getValue().length()) + 6)
                .sum();
        return inputs + added + rest <= Math.min(slotBytes, ExecutionInput.MAX_INLINE_BYTES);
    }

    private static int bytes(ExecutionInput input) {
        return switch (input) {
            case ExecutionInput.Json(String text) -> utf8(text);
            case ExecutionInput.Inline(String base64, var _) -> base64.length();
            case ExecutionInput.Locator(String locator, var _) -> utf8(locator);
        };
    }

    private static int utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static Optional<Result.Fault> fault(Supplier<Result> check) {
        return checked(check) instanceof Result.Fault fault ? Optional.of(fault) : Optional.empty();
    }

    private static Result checked(Supplier<Result> task) {
        try {
            return task.get();
        } catch (TooLarge | InputTooLargeException e) {
            return new Result.Fault(TaskSetReason.InputTooLarge, e.getMessage());
        } catch (IllegalArgumentException e) {
            return new Result.Fault(TaskSetReason.SourceInvalid, e.getMessage());
        }
    }

    /** Thrown and caught within the check. */
    private static final class TooLarge extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TooLarge(String message) {
            super(message, null, false, false);
        }
    }
}
