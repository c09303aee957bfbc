package dev.quiver.lifecycle.wires.idoit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import dev.quiver.lifecycle.task.model.NodeError;
import dev.quiver.lifecycle.worker.TrialFailure;

/** Errors as the wire has them: objects with name, message and more, as JavaScript's errors are serialised. No I/O. */
final class IdoitErrors {

    /** The reason of a node that was cancelled. */
    static final String CANCELLED = "Cancelled";

    private static final String CANCELED = "CANCELED";

    private IdoitErrors() {}

    static String of(String name, String message) {
        return JsJson.write(
                JsonNodeFactory.instance.objectNode().put("name", name).put("message", message));
    }

    static String of(TrialFailure failure) {
        ObjectNode error = JsonNodeFactory.instance.objectNode();
        error.put("name", failure.reason()).put("message", failure.message());
        failure.exitCode().ifPresent(code -> error.put("code", code));
        return JsJson.write(error);
    }

    /** An error of any program; whatever it is, it has a reason and a message. */
    static NodeError read(String node, int trial, String json) {
        JsonNode error;
        try {
            error = JsJson.read(json);
        } catch (IllegalArgumentException unreadable) {
            return new NodeError(node, trial, "Error", json);
        }
        boolean cancelled = error.path("code").asText().equals(CANCELED);
        return new NodeError(
                node,
                trial,
                cancelled ? CANCELLED : error.path("name").asText("Error"),
                error.path("message").asText());
    }
}
