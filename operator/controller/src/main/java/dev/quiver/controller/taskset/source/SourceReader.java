package dev.quiver.controller.taskset.source;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;

import dev.quiver.crds.v1alpha1.ConfigMapKeyRef;
import dev.quiver.crds.v1alpha1.TaskItem;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskSource;
import dev.quiver.crds.v1alpha1.TaskTemplate;
import dev.quiver.crds.v1alpha1.TaskTemplateBuilder;
import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.ordinals.OrdinalItem;

/** Reads the source of a run; a ConfigMap by name, once. Thread-safe. */
public record SourceReader(KubernetesClient client) {

    private static final int MOST_TASKS = 1_000_000;

    /** Bytes of all lines. A worker brings no more, but a tenant may have written further pages of a list. */
    private static final int MOST_BYTES = 32 << 20;

    private static final int SHOWN_CHARS = 80;

    /** The result of reading a source. */
    public sealed interface Result {

        /** The source was read. */
        record Read(Source source) implements Result {}

        /** The source is not there yet. */
        record NotFound(String message) implements Result {}

        /** The source can never be run; the message names field and value. */
        record Invalid(TaskSetReason reason, String message) implements Result {}
    }

    /**
     * Checks each task now: a bad one is reported before the first runs.
     *
     * @param slotBytes of the input of one slot of the run's pool
     */
    public Result read(TaskSet set, long slotBytes) {
        TaskTemplate task = set.getSpec().task();
        Optional<TaskCheck.Result.Fault> fault = TaskCheck.faultOf(task, slotBytes);
        if (fault.isPresent()) {
            return invalid(fault.get(), "spec.task");
        }
        TaskCheck check = TaskCheck.of(task, slotBytes);
        TaskSource source = set.getSpec().source();
        if (source.count() != null) {
            return read(new ExecutionSpec.TaskSource.Count(source.count()), List.of());
        }
        if (!source.matrix().isEmpty()) {
            return matrix(check, source.matrix());
        }
        return source.items().isEmpty()
                ? configMap(set, source.configMapKeyRef(), check)
                : items(check, source.items());
    }

    /** The fault of the program that names the tasks, before it is started. */
    public static Optional<Result> faultOfProgram(TaskSet set, long slotBytes) {
        TaskSource source = set.getSpec().source();
        TaskTemplate program = TaskTemplateBuilder.builder()
                .command(source.command())
                .args(source.args())
                .env(source.env())
                .build();
        return TaskCheck.faultOf(program, slotBytes)
                .map(fault -> invalid(fault, "spec.source"))
                .or(() -> TaskCheck.faultOf(set.getSpec().task(), slotBytes).map(fault -> invalid(fault, "spec.task")));
    }

    /** The tasks that a program named; a list without a task is none. */
    public static Result listed(TaskSet set, long slotBytes, Iterator<String> lines) {
        return lines(
                TaskCheck.of(set.getSpec().task(), slotBytes), "spec.source.command: the list of the program", lines);
    }

    static Result matrix(TaskCheck check, Map<String, List<String>> matrix) {
        for (Map.Entry<String, List<String>> variable : matrix.entrySet()) {
            TaskNames values = new TaskNames(variable.getValue()::get);
            for (int i = 0; i < variable.getValue().size(); i++) {
                String value = variable.getValue().get(i);
                OptionalInt earlier = values.add(value, i);
                if (earlier.isPresent()) {
                    return invalid("spec.source.matrix." + variable.getKey() + "[" + i + "]: value \"" + shown(value)
                            + "\" stands at [" + earlier.getAsInt() + "] already; tasks of one name cannot be told"
                            + " apart.");
                }
            }
        }
        return check.ofMatrix(matrix)
                .map(no -> invalid(no, "spec.source.matrix"))
                .orElseGet(() -> read(new ExecutionSpec.TaskSource.Matrix(matrix), List.of()));
    }

    static Result items(TaskCheck check, List<TaskItem> items) {
        List<String> payloads = new ArrayList<>(items.size());
        TaskNames names = new TaskNames(i -> items.get(i).name());
        for (TaskItem item : items) {
            String where = "spec.source.items[" + payloads.size() + "]";
            OptionalInt earlier = names.add(item.name(), payloads.size());
            if (earlier.isPresent()) {
                return invalid(where + ".name" + twice(item.name(), "items[" + earlier.getAsInt() + "]"));
            }
            switch (check.ofItem(item)) {
                case TaskCheck.Result.Good(String payload, var _) -> payloads.add(payload);
                case TaskCheck.Result.Fault fault -> {
                    return invalid(fault, where + " (" + item.name() + ")");
                }
            }
        }
        return read(new ExecutionSpec.TaskSource.Items(), payloads);
    }

    private Result configMap(TaskSet set, ConfigMapKeyRef ref, TaskCheck check) {
        ConfigMap map = client.configMaps()
                .inNamespace(set.getMetadata().getNamespace())
                .withName(ref.name())
                .get();
        if (map == null) {
            return new Result.NotFound(
                    "spec.source.configMapKeyRef.name: there is no ConfigMap " + ref.name() + " in this namespace.");
        }
        return text(map, ref, check);
    }

    static Result text(ConfigMap map, ConfigMapKeyRef ref, TaskCheck check) {
        Map<String, String> data = Optional.ofNullable(map.getData()).orElse(Map.of());
        String text = data.get(ref.key());
        if (text != null) {
            return lines(check, "ConfigMap " + ref.name() + ", key " + ref.key(), text);
        }
        boolean binary =
                Optional.ofNullable(map.getBinaryData()).orElse(Map.of()).containsKey(ref.key());
        return new Result.NotFound("spec.source.configMapKeyRef.key: ConfigMap " + ref.name() + " has "
                + (binary
                        ? "key " + ref.key() + " in its binaryData; it must be in data, as text."
                        : "no key " + ref.key() + " in its data; it has " + data.keySet() + "."));
    }

    static Result lines(TaskCheck check, String where, String text) {
        return lines(
                check, "spec.source.configMapKeyRef: " + where, text.lines().iterator());
    }

    /** Reads lines that come one after the other, as many as there are. */
    static Result lines(TaskCheck check, String where, Iterator<String> raw) {
        PackedPayloads payloads = new PackedPayloads();
        TaskNames names =
                new TaskNames(i -> OrdinalItem.ofWrittenLine(payloads.get(i)).name());
        long bytes = 0;
        for (int number = 1; raw.hasNext(); number++) {
            String read = raw.next();
            bytes += Utf8.length(read) + 1;
            if (bytes > MOST_BYTES) {
                return invalid(where + " has more than " + MOST_BYTES + " bytes.");
            }
            String line = (number == 1 ? withoutMark(read) : read).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            String at = where + ", line " + number;
            switch (check.ofLine(line)) {
                case TaskCheck.Result.Good(String payload, String name) -> {
                    OptionalInt earlier = names.add(name, number);
                    if (earlier.isPresent()) {
                        return invalid(at + twice(name, "line " + earlier.getAsInt()));
                    }
                    if (payloads.size() == MOST_TASKS) {
                        return invalid(where + " holds more than " + MOST_TASKS + " tasks.");
                    }
                    payloads.add(payload);
                }
                case TaskCheck.Result.Fault fault -> {
                    return invalid(fault, at + " (" + shown(line) + ")");
                }
            }
        }
        return payloads.isEmpty()
                ? invalid(where + " holds no task: every line is blank or begins with #.")
                : read(new ExecutionSpec.TaskSource.Lines(), payloads);
    }

    /** The text without a byte order mark, which some editors put before the first line. */
    private static String withoutMark(String text) {
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    private static Result invalid(TaskCheck.Result.Fault fault, String where) {
        return new Result.Invalid(fault.reason(), where + ": " + fault.message() + ".");
    }

    private static Result invalid(String message) {
        return new Result.Invalid(TaskSetReason.SourceInvalid, message);
    }

    private static String twice(String name, String earlier) {
        return ": the task of " + earlier + " has the name \"" + shown(name)
                + "\", too; tasks of one name cannot be told apart.";
    }

    private static Result read(ExecutionSpec.TaskSource kind, List<String> payloads) {
        return new Result.Read(new Source(kind, payloads));
    }

    private static String shown(String line) {
        return line.length() <= SHOWN_CHARS ? line : line.substring(0, SHOWN_CHARS) + "…";
    }
}
