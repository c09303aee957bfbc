package dev.quiver.controller.taskset;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;

import dev.quiver.crds.v1alpha1.ConfigMapKeyRef;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSource;
import dev.quiver.lifecycle.taskset.ExecutionSpec;
import dev.quiver.lifecycle.taskset.ExecutionSpec.EnvVar;
import dev.quiver.lifecycle.taskset.TaskItem;
import dev.quiver.lifecycle.taskset.TaskSetControl;

/** Reads the source of a run; a ConfigMap by name, once. Thread-safe. */
record SourceReader(KubernetesClient client) {

    private static final int MOST_TASKS = 1_000_000;
    private static final int SHOWN_CHARS = 80;

    SourceReading read(TaskSet set) {
        TaskSource source = set.getSpec().source();
        if (source.count() != null) {
            return read(new ExecutionSpec.TaskSource.Count(source.count()), List.of());
        }
        if (!source.matrix().isEmpty()) {
            return read(new ExecutionSpec.TaskSource.Matrix(source.matrix()), List.of());
        }
        if (!source.items().isEmpty()) {
            return read(
                    new ExecutionSpec.TaskSource.Items(),
                    source.items().stream().map(SourceReader::payload).toList());
        }
        return configMap(set, source.configMapKeyRef());
    }

    private SourceReading configMap(TaskSet set, ConfigMapKeyRef ref) {
        ConfigMap map = client.configMaps()
                .inNamespace(set.getMetadata().getNamespace())
                .withName(ref.name())
                .get();
        if (map == null) {
            return new SourceReading.NotFound(
                    "spec.source.configMapKeyRef.name: there is no ConfigMap " + ref.name() + " in this namespace.");
        }
        Map<String, String> data = Optional.ofNullable(map.getData()).orElse(Map.of());
        String text = data.get(ref.key());
        return text == null
                ? new SourceReading.NotFound("spec.source.configMapKeyRef.key: ConfigMap " + ref.name() + " has no key "
                        + ref.key() + " in its data; it has " + data.keySet() + ".")
                : lines("ConfigMap " + ref.name() + ", key " + ref.key(), text);
    }

    /** Checks each line now: a bad one is said before the first task runs, not by the last. */
    static SourceReading lines(String where, String text) {
        List<String> payloads = new ArrayList<>();
        int number = 0;
        for (String raw : text.lines().toList()) {
            number++;
            String line = raw.strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            Optional<String> fault = fault(line);
            if (fault.isPresent()) {
                return new SourceReading.Invalid("spec.source.configMapKeyRef: " + where + ", line " + number + " ("
                        + shown(line) + "): " + fault.get() + ".");
            }
            payloads.add(line);
        }
        if (payloads.isEmpty()) {
            return new SourceReading.Invalid(
                    "spec.source.configMapKeyRef: " + where + " holds no task: every line is blank or begins with #.");
        }
        if (payloads.size() > MOST_TASKS) {
            return new SourceReading.Invalid("spec.source.configMapKeyRef: " + where + " holds " + payloads.size()
                    + " tasks; at most " + MOST_TASKS + " are allowed.");
        }
        return read(new ExecutionSpec.TaskSource.Lines(), payloads);
    }

    private static Optional<String> fault(String line) {
        int bytes = line.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > TaskSetControl.MAX_PAYLOAD_BYTES) {
            return Optional.of("has " + bytes + " bytes; at most " + TaskSetControl.MAX_PAYLOAD_BYTES + " are allowed");
        }
        if (line.indexOf('\0') >= 0) {
            return Optional.of("holds a NUL character, which no argument can");
        }
        try {
            TaskItem.ofLine(line);
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.of(e.getMessage());
        }
    }

    private static SourceReading read(ExecutionSpec.TaskSource kind, List<String> payloads) {
        return new SourceReading.Read(new Source(kind, payloads));
    }

    private static String payload(dev.quiver.crds.v1alpha1.TaskItem item) {
        List<EnvVar> env =
                item.env().stream().map(e -> new EnvVar(e.name(), e.value())).toList();
        return new TaskItem(item.name(), item.args(), env, Map.of()).toJson();
    }

    private static String shown(String line) {
        return line.length() <= SHOWN_CHARS ? line : line.substring(0, SHOWN_CHARS) + "…";
    }
}
