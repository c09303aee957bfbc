package dev.quiver.lifecycle.task.model;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

/**
 * The reason why a node failed.
 *
 * @param node id of the node that failed first
 * @param trial number of the trial that ended it; 0 where no trial did
 * @param reason one word
 * @param message for people; may be empty
 */
public record NodeError(String node, int trial, String reason, String message) {

    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private record Document(int trial, String reason, String message) {}

    /**
     * An error as it is kept.
     *
     * @param node that failed
     * @throws IllegalStateException for another text
     */
    public static NodeError read(String node, String json) {
        try {
            Document document = JSON.readValue(json, Document.class);
            if (document == null) {
                throw new IllegalStateException("not an error: " + json);
            }
            return new NodeError(
                    node,
                    document.trial(),
                    document.reason() == null ? "Error" : document.reason(),
                    document.message() == null ? "" : document.message());
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("not an error: " + json, e);
        }
    }
}
