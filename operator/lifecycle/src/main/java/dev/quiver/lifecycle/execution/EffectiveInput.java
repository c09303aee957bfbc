package dev.quiver.lifecycle.execution;

import java.util.Map;
import java.util.Optional;

import dev.quiver.lifecycle.execution.TaskInput.Json;

/**
 * The input of one task: the item's input if the item has one, else the set's. Two JSON objects become one; a key of
 * the item replaces the set's. The keys of a matrix and plain lines become keys of a JSON object too, below those of
 * the item. Pure.
 */
public final class EffectiveInput {

    private static final String EMPTY_OBJECT = "{}";

    private EffectiveInput() {}

    /**
     * The input of a task.
     *
     * @param keys the values of the matrix, or {@code line}; empty for other tasks. An input that is no JSON object
     *     stays without them. Where there is no input, they are the input
     * @throws InputTooLargeException when two objects together are larger than an inline input may be
     */
    public static Optional<TaskInput> of(
            Optional<TaskInput> ofSet, Map<String, String> keys, Optional<TaskInput> ofItem) {
        Optional<TaskInput> base = keys.isEmpty()
                ? ofSet
                : Optional.of(ofSet.map(input -> with(input, keys))
                        .orElseGet(() -> new Json(InputJson.with(EMPTY_OBJECT, keys))));
        if (ofItem.isEmpty()) {
            return base;
        }
        return base.isPresent() && isObject(base.get()) && isObject(ofItem.get())
                ? Optional.of(new Json(InputJson.merge(((Json) base.get()).text(), ((Json) ofItem.get()).text())))
                : ofItem;
    }

    private static TaskInput with(TaskInput input, Map<String, String> keys) {
        return isObject(input) ? new Json(InputJson.with(((Json) input).text(), keys)) : input;
    }

    private static boolean isObject(TaskInput input) {
        return input instanceof Json(String text) && InputJson.isObject(text);
    }
}
