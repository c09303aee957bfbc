package dev.quiver.lifecycle.execution;

import java.util.Map;
import java.util.Optional;

import dev.quiver.lifecycle.execution.TaskInput.Json;

/**
 * What one task is given, from what its set and its item say: the item's input if it has one, else the set's; two JSON
 * objects are one, whose keys the item wins. What distinguishes a task of a matrix or of plain lines becomes keys of a
 * JSON object too, under the item's. Pure.
 */
public final class EffectiveInput {

    private static final String EMPTY_OBJECT = "{}";

    private EffectiveInput() {}

    /**
     * The input of a task.
     *
     * @param keys the values of the matrix, or {@code line}; empty for other tasks. They stay out of an input that is no
     *     JSON object; where there is none at all they make one
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
