package dev.quiver.lifecycle.taskset;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

/** A registry entry: {@code <last beat ms> <opened ms> <JSON>}; the two times are written by the script. */
final class WorkerRecordJson {

    private static final JsonMapper JSON = JsonMapper.builder()
            .defaultPropertyInclusion(
                    JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private record Document(WorkerIdentity worker, int busy, boolean draining, List<String> handlers, String trouble) {}

    private WorkerRecordJson() {}

    static String write(WorkerIdentity worker, WorkerState state) {
        try {
            return JSON.writeValueAsString(new Document(
                    worker,
                    state.busySlots(),
                    state.draining(),
                    state.handlers().isEmpty() ? null : state.handlers(),
                    state.trouble().orElse(null)));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    static WorkerRecord read(String session, String entry, Instant storeTime) {
        String[] parts = entry.split(" ", 3);
        try {
            Document document = JSON.readValue(parts[2], Document.class);
            return new WorkerRecord(
                    session,
                    document.worker(),
                    document.busy(),
                    document.draining(),
                    document.handlers() == null ? List.of() : List.copyOf(document.handlers()),
                    Optional.ofNullable(document.trouble()),
                    Instant.ofEpochMilli(Long.parseLong(parts[1])),
                    Instant.ofEpochMilli(Long.parseLong(parts[0])),
                    storeTime);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("not a registry entry: " + entry, e);
        }
    }
}
