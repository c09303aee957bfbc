package dev.quiver.crds.v1alpha1;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/**
 * The source of the tasks: exactly one of the five.
 *
 * <p>The API server does not keep the order in which an object's fields were written. So {@link #matrix} is always
 * sorted by key, and every reader gets the same order of tasks.
 */
@ValidationRule(
        value =
                "(has(self.items) ? 1 : 0) + (has(self.count) ? 1 : 0) + (has(self.matrix) ? 1 : 0) + (has(self.configMapKeyRef) ? 1 : 0) + (has(self.command) ? 1 : 0) == 1",
        message = "must have exactly one of items, count, matrix, configMapKeyRef and command")
@ValidationRule(
        value = "has(self.command) || !has(self.args)",
        message = "needs command: a task's own arguments stand in spec.task.args",
        fieldPath = ".args")
@ValidationRule(
        value = "has(self.command) || !has(self.env)",
        message = "needs command: a task's own variables stand in spec.task.env",
        fieldPath = ".env")
@ValidationRule(
        value = "has(self.command) || !has(self.timeoutSeconds)",
        message = "needs command: a task's own limit is spec.task.activeDeadlineSeconds",
        fieldPath = ".timeoutSeconds")
@ValidationRule(
        value =
                "(has(self.command) ? self.command.map(c, size(c)).sum() : 0) + (has(self.args) ? self.args.map(a, size(a)).sum() : 0) + (has(self.env) ? self.env.map(e, size(e.name) + (has(e.value) ? size(e.value) : 0)).sum() : 0) <= 65536",
        message = "command, args and env must hold at most 65536 characters together")
@Built
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record TaskSource(
        @JsonPropertyDescription(
                "The tasks as a list: 1 to 1000, with at most 65536 characters in all names, arguments,"
                        + " environment entries, base64 and locators together. Longer lists go into a ConfigMap.")
        @Size(min = 1, max = 1000)
        @ValidationRule(
                value =
                        "self.map(i, size(i.name) + (has(i.args) ? i.args.map(a, size(a)).sum() : 0) + (has(i.env) ? i.env.map(e, size(e.name) + (has(e.value) ? size(e.value) : 0)).sum() : 0) + (has(i.input) ? (has(i.input.base64) ? size(i.input.base64) : 0) + (has(i.input.locator) ? size(i.input.locator) : 0) : 0)).sum() <= 65536",
                message =
                        "must hold at most 65536 characters in all names, arguments, environment entries and inputs together: put a longer list into a ConfigMap and use configMapKeyRef")
        List<TaskItem> items,

        @JsonPropertyDescription(
                "This many tasks, 1 to 1000000, named by their index from 0, which is also in QUIVER_INDEX.")
        @Min(1)
        @Max(1_000_000)
        Integer count,

        @JsonPropertyDescription(
                "One task for each combination of the values of 1 to 8 variables, at most 1000000 in all. Each key"
                        + " is an environment variable of the task (a letter or _, then letters, digits or _, at most 63 characters,"
                        + " not beginning with QUIVER_) with 1 to 1000 distinct values of at most 1024 characters. Keys are taken in"
                        + " alphabetical order; the last one varies fastest.")
        @Size(min = 1, max = 8)
        @ValidationRule(
                value = "self.all(k, k.matches('^[A-Za-z_][A-Za-z0-9_]{0,62}$'))",
                message =
                        "keys must be names of environment variables: a letter or _, then letters, digits or _, at most 63 characters")
        @ValidationRule(
                value = "self.all(k, !k.startsWith('QUIVER_'))",
                message = "keys that begin with QUIVER_ are reserved: choose another name")
        @ValidationRule(
                value =
                        "[self.map(k, size(self[k]))].all(n, (size(n) > 0 ? double(n[0]) : 1.0) * (size(n) > 1 ? double(n[1]) : 1.0) * (size(n) > 2 ? double(n[2]) : 1.0) * (size(n) > 3 ? double(n[3]) : 1.0) * (size(n) > 4 ? double(n[4]) : 1.0) * (size(n) > 5 ? double(n[5]) : 1.0) * (size(n) > 6 ? double(n[6]) : 1.0) * (size(n) > 7 ? double(n[7]) : 1.0) <= 1000000.0)",
                message = "must have at most 1000000 combinations in all")
        Map<String, List<String>> matrix,

        @JsonPropertyDescription(
                "The lines of a key of a ConfigMap, read once when the run is accepted. A line that begins with { is"
                        + " an item as JSON, with the bounds of items; any other is a task with that name, appended as one"
                        + " argument of at most 16384 characters. Blanks around a line are dropped; blank lines and lines that"
                        + " begin with # are skipped. Two tasks of one name end the run as SourceInvalid.")
        ConfigMapKeyRef configMapKeyRef,

        @JsonPropertyDescription(
                "A program that names the tasks: it runs once on a worker of the run, before any task, and writes a task a line"
                        + " to $QUIVER_OUTPUT, as a ConfigMap's key has them. At most 1000000 tasks, 32Mi, and slots.outputSize of the"
                        + " pool. If it fails, the run fails with reason SourceFailed. 1 to 64 strings of at most 16384 characters, the"
                        + " first not empty.")
        @Size(min = 1, max = 64)
        @ValidationRule(value = Rules.IS_COMMAND, message = Rules.COMMAND)
        List<@Size(max = 16384) String> command,

        @JsonPropertyDescription(
                "Arguments after the command: at most 64 strings of at most 16384 characters. Only with command.")
        @Size(max = 64)
        List<@Size(max = 16384) String> args,

        @JsonPropertyDescription(
                "Environment variables of the program, set after those of the container: at most 64. Only with command.")
        @Size(max = 64)
        List<EnvEntry> env,

        @JsonPropertyDescription("Seconds that the program may run, 1 to 86400; 3600 without it. Only with command.")
        @Min(1)
        @Max(86_400)
        Integer timeoutSeconds) {

    private static final Duration TIMEOUT = Duration.ofHours(1);

    public TaskSource {
        items = items == null ? List.of() : List.copyOf(items);
        command = command == null ? List.of() : List.copyOf(command);
        args = args == null ? List.of() : List.copyOf(args);
        env = env == null ? List.of() : List.copyOf(env);
        matrix = matrix == null ? Map.of() : Collections.unmodifiableMap(new TreeMap<>(matrix));
    }

    /** The tasks of a list. */
    public static TaskSource ofItems(List<TaskItem> items) {
        return TaskSourceBuilder.builder().items(items).build();
    }

    /** So many tasks, distinguished by their index. */
    public static TaskSource ofCount(int count) {
        return TaskSourceBuilder.builder().count(count).build();
    }

    /** A task for each combination. */
    public static TaskSource ofMatrix(Map<String, List<String>> matrix) {
        return TaskSourceBuilder.builder().matrix(matrix).build();
    }

    /** The lines of a ConfigMap's key. */
    public static TaskSource ofConfigMapKey(String name, String key) {
        return TaskSourceBuilder.builder()
                .configMapKeyRef(new ConfigMapKeyRef(name, key))
                .build();
    }

    /** The tasks that a program names. */
    public static TaskSource ofCommand(String... command) {
        return TaskSourceBuilder.builder().command(List.of(command)).build();
    }

    /** Whether a program names the tasks. */
    public boolean hasProgram() {
        return !command.isEmpty();
    }

    /** How long the program may run. */
    public Duration timeout() {
        return Optional.ofNullable(timeoutSeconds).map(Duration::ofSeconds).orElse(TIMEOUT);
    }

    /** The number of tasks that the spec alone determines; empty for a ConfigMap and a program, which must be read. */
    public OptionalInt size() {
        if (count != null) {
            return OptionalInt.of(count);
        }
        if (!items.isEmpty()) {
            return OptionalInt.of(items.size());
        }
        if (!matrix.isEmpty()) {
            return OptionalInt.of(matrix.values().stream().mapToInt(List::size).reduce(1, Math::multiplyExact));
        }
        return OptionalInt.empty();
    }
}
