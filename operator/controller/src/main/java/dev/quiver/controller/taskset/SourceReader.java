package dev.quiver.controller.taskset;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;

import dev.quiver.crds.v1alpha1.ConfigMapKeyRef;
import dev.quiver.crds.v1alpha1.TaskItem;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetReason;
import dev.quiver.crds.v1alpha1.TaskSource;
import dev.quiver.crds.v1alpha1.TaskTemplate;
import dev.quiver.lifecycle.taskset.ExecutionSpec;

/** Reads the source of a run; a ConfigMap by name, once. Thread-safe. */
record SourceReader(KubernetesClient client) {

    private static final int MOST_TASKS = 1_000_000;
    private static final int SHOWN_CHARS = 80;

    /**
     * Each task is checked now: a bad one is said before the first runs, not by the last.
     *
     * @param slotBytes of the input of one slot of the run's pool
     */
    SourceReading read(TaskSet set, long slotBytes) {
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
            return check.ofMatrix(source.matrix())
                    .map(no -> invalid(no, "spec.source.matrix"))
                    .orElseGet(() -> read(new ExecutionSpec.TaskSource.Matrix(source.matrix()), List.of()));
        }
        return source.items().isEmpty()
                ? configMap(set, source.configMapKeyRef(), check)
                : items(check, source.items());
    }

    private static SourceReading items(TaskCheck check, List<TaskItem> items) {
        List<String> payloads = new ArrayList<>(items.size());
        for (TaskItem item : items) {
            switch (check.ofItem(item)) {
                case TaskCheck.Result.Good(String payload) -> payloads.add(payload);
                case TaskCheck.Result.Fault fault -> {
                    return invalid(fault, "spec.source.items[" + payloads.size() + "] (" + item.name() + ")");
                }
            }
        }
        return read(new ExecutionSpec.TaskSource.Items(), payloads);
    }

    private SourceReading configMap(TaskSet set, ConfigMapKeyRef ref, TaskCheck check) {
        ConfigMap map = client.configMaps()
                .inNamespace(set.getMetadata().getNamespace())
                .withName(ref.name())
                .get();
        if (map == null) {
            return new SourceReading.NotFound(
                    "spec.source.configMapKeyRef.name: there is no ConfigMap " + ref.name() + " in this namespace.");
        }
        return text(map, ref, check);
    }

    static SourceReading text(ConfigMap map, ConfigMapKeyRef ref, TaskCheck check) {
        Map<String, String> data = Optional.ofNullable(map.getData()).orElse(Map.of());
        String text = data.get(ref.key());
        if (text != null) {
            return lines(check, "ConfigMap " + ref.name() + ", key " + ref.key(), text);
        }
        boolean binary =
                Optional.ofNullable(map.getBinaryData()).orElse(Map.of()).containsKey(ref.key());
        return new SourceReading.NotFound("spec.source.configMapKeyRef.key: ConfigMap " + ref.name() + " has "
                + (binary
                        ? "key " + ref.key() + " in its binaryData; it must be in data, as text."
                        : "no key " + ref.key() + " in its data; it has " + data.keySet() + "."));
    }

    static SourceReading lines(TaskCheck check, String where, String text) {
        List<String> payloads = new ArrayList<>();
        int number = 0;
        for (String raw : withoutMark(text).lines().toList()) {
            number++;
            String line = raw.strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            if (check.ofLine(line) instanceof TaskCheck.Result.Fault fault) {
                return invalid(
                        fault, "spec.source.configMapKeyRef: " + where + ", line " + number + " (" + shown(line) + ")");
            }
            payloads.add(line);
        }
        if (payloads.isEmpty()) {
            return invalid(
                    "spec.source.configMapKeyRef: " + where + " holds no task: every line is blank or begins with #.");
        }
        if (payloads.size() > MOST_TASKS) {
            return invalid("spec.source.configMapKeyRef: " + where + " holds " + payloads.size() + " tasks; at most "
                    + MOST_TASKS + " are allowed.");
        }
        return read(new ExecutionSpec.TaskSource.Lines(), payloads);
    }

    /** Some editors begin a file with a byte order mark, which nobody means to be part of the first task. */
    private static String withoutMark(String text) {
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    private static SourceReading invalid(TaskCheck.Result.Fault fault, String where) {
        return new SourceReading.Invalid(fault.reason(), where + ": " + fault.words() + ".");
    }

    private static SourceReading invalid(String message) {
        return new SourceReading.Invalid(TaskSetReason.SourceInvalid, message);
    }

    private static SourceReading read(ExecutionSpec.TaskSource kind, List<String> payloads) {
        return new SourceReading.Read(new Source(kind, payloads));
    }

    private static String shown(String line) {
        return line.length() <= SHOWN_CHARS ? line : line.substring(0, SHOWN_CHARS) + "…";
    }
}
