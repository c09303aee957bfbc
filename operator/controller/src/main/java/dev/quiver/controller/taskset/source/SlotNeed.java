package dev.quiver.controller.taskset.source;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.quiver.crds.v1alpha1.EnvEntry;
import dev.quiver.crds.v1alpha1.TaskTemplate;
import dev.quiver.lifecycle.ordinals.OrdinalItem;

/**
 * The bytes of a slot's input that a task needs beside its payload. This is a lower bound, since a text with references
 * may become shorter when they are replaced. The supervisor counts exactly, and never refuses less. Pure.
 *
 * @param shared bytes that every task has, without its environment
 * @param env bytes of each variable that every task has, by name
 * @param withArguments whether the slot gets a task's arguments: for a command, not for a function
 */
record SlotNeed(long shared, Map<String, Long> env, boolean withArguments) {

    /** Bytes of the record's head. */
    private static final int HEAD_BYTES = 32;

    static SlotNeed of(TaskTemplate task) {
        long shared = HEAD_BYTES
                + task.handlerName().map(SlotNeed::bytes).orElse(0L)
                + bytes(task.command())
                + bytes(task.args());
        Map<String, Long> env = new HashMap<>();
        for (EnvEntry entry : task.env()) {
            env.put(entry.name(), variable(entry.name(), entry.value()));
        }
        return new SlotNeed(shared, Map.copyOf(env), task.handlerName().isEmpty());
    }

    /** The bytes of one task. A variable of the task replaces that of the set, and that of the set a matrix' key. */
    long of(OrdinalItem item) {
        Map<String, Long> variables = new HashMap<>();
        item.matrix().forEach((key, value) -> variables.put(key, variable(key, value)));
        variables.putAll(env);
        item.env().forEach(e -> variables.put(e.name(), variable(e.name(), e.value())));
        variables.put("QUIVER_TASK", variable("QUIVER_TASK", item.name()));
        return shared
                + (withArguments ? bytes(item.args()) : 0)
                + variables.values().stream().mapToLong(Long::longValue).sum();
    }

    private static long variable(String name, String value) {
        return name.length() + 1 + bytes(value);
    }

    private static long bytes(List<String> texts) {
        return texts.stream().mapToLong(SlotNeed::bytes).sum();
    }

    /** The bytes of the text, with the NUL that ends it. */
    private static long bytes(String text) {
        return 1 + (text.indexOf('$') >= 0 ? 0 : text.getBytes(StandardCharsets.UTF_8).length);
    }
}
