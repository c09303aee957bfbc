package dev.quiver.lifecycle.execution;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;

import dev.quiver.lifecycle.execution.ExecutionInput.Json;

/**
 * The input of one task: the item's input if the item has one, else the set's. Two JSON objects become one; a key of
 * the item replaces the set's. The keys of a matrix and plain lines become keys of a JSON object too, below those of
 * the item. Pure.
 */
public final class EffectiveInput {

    private EffectiveInput() {}

    /**
     * The input of a task, as its slot gets it.
     *
     * @param keys the values of the matrix, or {@code line}; empty for other tasks. An input that is no JSON object
     *     stays without them. Where there is no input, they are the input
     * @throws InputTooLargeException when two objects together are larger than an inline input may be
     */
    public static ExecutionInput.Payload of(
            Optional<ExecutionInput> ofSet, Map<String, String> keys, Optional<ExecutionInput> ofItem) {
        Optional<String> base = object(ofSet, keys);
        Optional<String> own = ofItem.flatMap(EffectiveInput::object);
        if (base.isEmpty() || (ofItem.isPresent() && own.isEmpty())) {
            return ofItem.or(() -> ofSet).map(ExecutionInput::payload).orElse(ExecutionInput.Payload.NONE);
        }
        String text =
                own.map(over -> fitting(InputJson.merge(base.get(), over))).orElse(base.get());
        // What a tree or these keys were written as is compact: it is not parsed once more.
        return new ExecutionInput.Payload(text.getBytes(StandardCharsets.UTF_8), ExecutionInput.Format.JSON, false);
    }

    /** The JSON object that set and keys make; absent when the set's input is none, or there is nothing. */
    private static Optional<String> object(Optional<ExecutionInput> ofSet, Map<String, String> keys) {
        if (ofSet.isEmpty()) {
            return keys.isEmpty() ? Optional.empty() : Optional.of(fitting(InputJson.of(keys)));
        }
        Optional<String> object = object(ofSet.get());
        return keys.isEmpty() ? object : object.map(text -> fitting(InputJson.with(text, keys)));
    }

    private static Optional<String> object(ExecutionInput input) {
        return input instanceof Json(String text) && InputJson.isObject(text) ? Optional.of(text) : Optional.empty();
    }

    private static String fitting(String json) {
        InputTooLargeException.check("input.json", Utf8.length(json), ExecutionInput.MAX_INLINE_BYTES);
        return json;
    }
}
