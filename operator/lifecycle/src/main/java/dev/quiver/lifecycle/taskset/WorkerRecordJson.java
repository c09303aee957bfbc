package dev.quiver.lifecycle.taskset;

import java.time.Instant;
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

    private record Document(WorkerIdentity worker, int busy, boolean draining, String trouble) {}

    private WorkerRecordJson() {}

    static String write(WorkerIdentity worker, int busySlots, boolean draining, Optional<String> trouble) {
        String words = trouble.map(text -> Utf8.firstBytes(text, WorkerRecord.MAX_TROUBLE_BYTES))
                .orElse(null);
        try {
            return JSON.writeValueAsString(new Document(worker, busySlots, draining, words));
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
                    Optional.ofNullable(document.trouble()),
                    Instant.ofEpochMilli(Long.parseLong(parts[1])),
                    Instant.ofEpochMilli(Long.parseLong(parts[0])),
                    storeTime);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("not a registry entry: " + entry, e);
        }
    }
}
