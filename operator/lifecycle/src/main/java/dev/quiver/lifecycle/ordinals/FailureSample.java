package dev.quiver.lifecycle.ordinals;

import java.util.Optional;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

import dev.quiver.lifecycle.ordinals.ExecutionSpec.TaskSource;
import dev.quiver.lifecycle.worker.TaskFailure;

/**
 * One entry of {@code T:failures}: a letter and its data. {@code F} (ended the task) and {@code R} (tried again) stand
 * before the failure as JSON. {@code L} (worker lost too often) stands before the number of runs and the payload, which
 * gives the name.
 */
public final class FailureSample {

    private static final JsonMapper JSON = JsonMapper.builder()
            .defaultPropertyInclusion(
                    JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private record Document(String task, int trial, Integer exitCode, Integer signal, String reason, String message) {}

    private FailureSample() {}

    static String write(TaskFailure failure) {
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

    /** Whether the task's name has to be found from the set's source. */
    public static boolean needsSource(String entry) {
        return entry.startsWith("L");
    }

    /** The failure in an entry. */
    public static TaskFailure read(long id, String entry, Optional<TaskSource> source) {
        if (needsSource(entry)) {
            int space = entry.indexOf(' ');
            int runs = Integer.parseInt(entry.substring(1, space));
            return new TaskFailure(
                    name(id, entry.substring(space + 1), source),
                    runs,
                    Optional.empty(),
                    Optional.empty(),
                    "WorkerLost",
                    "its worker was lost each time: " + runs + " runs",
                    true);
        }
        try {
            Document document = JSON.readValue(entry.substring(1), Document.class);
            return new TaskFailure(
                    document.task(),
                    document.trial(),
                    Optional.ofNullable(document.exitCode()),
                    Optional.ofNullable(document.signal()),
                    document.reason(),
                    document.message(),
                    entry.startsWith("F"));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("not a failure: " + entry, e);
        }
    }

    /** A sample keeps only part of a long payload, which is unreadable then; the index becomes the task's name. */
    private static String name(long id, String payload, Optional<TaskSource> source) {
        try {
            return source.map(from -> TaskRendering.name(from, id, Optional.of(payload)))
                    .orElse(Long.toString(id));
        } catch (IllegalArgumentException e) {
            return Long.toString(id);
        }
    }
}
