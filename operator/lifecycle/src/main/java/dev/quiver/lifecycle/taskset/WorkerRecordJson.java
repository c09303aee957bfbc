package dev.quiver.lifecycle.taskset;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
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

    /**
     * The record in an entry {@code lastBeat openedAt document}; empty for anything else. A tenant may write its own keys,
     * and what one entry says must not hide the pool's other workers.
     */
    static Optional<WorkerRecord> read(String session, String entry, Instant storeTime) {
        String[] parts = entry.split(" ", 3);
        if (parts.length < 3) {
            return Optional.empty();
        }
        try {
            Document document = JSON.readValue(parts[2], Document.class);
            if (document == null || document.worker() == null) {
                return Optional.empty();
            }
            return Optional.of(new WorkerRecord(
                    session,
                    document.worker(),
                    document.busy(),
                    document.draining(),
                    handlers(document),
                    Optional.ofNullable(document.trouble()),
                    Instant.ofEpochMilli(Long.parseLong(parts[1])),
                    Instant.ofEpochMilli(Long.parseLong(parts[0])),
                    storeTime));
        } catch (JsonProcessingException | NumberFormatException malformed) {
            return Optional.empty();
        }
    }

    private static List<String> handlers(Document document) {
        return document.handlers() == null
                ? List.of()
                : document.handlers().stream().filter(Objects::nonNull).toList();
    }
}
