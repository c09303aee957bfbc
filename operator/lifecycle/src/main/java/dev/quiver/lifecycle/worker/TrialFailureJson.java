package dev.quiver.lifecycle.worker;

import java.util.Optional;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

/** A failure as JSON in Redis. Readers ignore fields that they do not know. */
public final class TrialFailureJson {

    private static final JsonMapper JSON = JsonMapper.builder()
            .defaultPropertyInclusion(
                    JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private record Document(String task, int trial, Integer exitCode, Integer signal, String reason, String message) {}

    private TrialFailureJson() {}

    /** The document. */
    public static String write(TrialFailure failure) {
        try {
            return JSON.writeValueAsString(new Document(
                    failure.task(),
                    failure.trial(),
                    failure.exitCode().orElse(null),
                    failure.signal().orElse(null),
                    failure.reason(),
                    failure.message()));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * The failure of a document.
     *
     * @param ended whether it ended the task
     */
    public static TrialFailure read(String text, boolean ended) {
        try {
            Document document = JSON.readValue(text, Document.class);
            return new TrialFailure(
                    document.task(),
                    document.trial(),
                    Optional.ofNullable(document.exitCode()),
                    Optional.ofNullable(document.signal()),
                    document.reason(),
                    document.message(),
                    ended);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("not a failure: " + text, e);
        }
    }
}
