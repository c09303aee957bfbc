package dev.quiver.lifecycle.worker;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

import dev.quiver.lifecycle.redis.ScriptLibrary;

/** A registry entry: {@code <last heartbeat ms> <opened ms> <JSON>}; the two times are written by the script. */
public final class WorkerRecordJson {

    private static final JsonMapper JSON = JsonMapper.builder()
            .defaultPropertyInclusion(
                    JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    /** Characters of a name at most, as Kubernetes has them; longer ones no worker writes. */
    private static final int LONGEST_NAME = 253;

    private record Document(
            WorkerIdentity worker,
            int busy,
            boolean draining,
            List<String> handlers,
            String trouble,
            String library,
            Integer speed) {}

    private WorkerRecordJson() {}

    /** The record of a worker; with the library of functions that it calls, if it calls any. */
    public static String write(WorkerIdentity worker, WorkerState state, Optional<ScriptLibrary> library) {
        try {
            return JSON.writeValueAsString(new Document(
                    worker,
                    state.busySlots(),
                    state.draining(),
                    state.handlers().isEmpty() ? null : state.handlers(),
                    state.trouble().orElse(null),
                    library.map(ScriptLibrary::name).orElse(null),
                    state.speedMilli() == WorkerState.USUAL_SPEED ? null : state.speedMilli()));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * The record in an entry {@code lastHeartbeat openedAt document}; empty for anything else. A tenant may write its own
     * keys, and what one entry says must not hide the pool's other workers.
     */
    static Optional<WorkerRecord> read(String session, String entry, Instant storeTime) {
        String[] parts = entry.split(" ", 3);
        if (parts.length < 3) {
            return Optional.empty();
        }
        try {
            Document document = JSON.readValue(parts[2], Document.class);
            if (document == null || document.worker() == null || !isName(document.worker())) {
                return Optional.empty();
            }
            return Optional.of(new WorkerRecord(
                    session,
                    document.worker(),
                    document.busy(),
                    document.draining(),
                    handlers(document),
                    Optional.ofNullable(document.trouble()).map(WorkerRecordJson::message),
                    Optional.ofNullable(document.library()).filter(name -> name.length() <= LONGEST_NAME),
                    speed(document),
                    Instant.ofEpochMilli(Long.parseLong(parts[1])),
                    Instant.ofEpochMilli(Long.parseLong(parts[0])),
                    storeTime));
        } catch (JsonProcessingException | NumberFormatException malformed) {
            return Optional.empty();
        }
    }

    private static boolean isName(WorkerIdentity worker) {
        return Stream.of(worker.pool(), worker.poolUid(), worker.pod(), worker.podUid(), worker.node())
                .allMatch(word -> word.length() <= LONGEST_NAME);
    }

    private static int speed(Document document) {
        return document.speed() == null
                ? WorkerState.USUAL_SPEED
                : Math.clamp(document.speed(), 1, WorkerState.MOST_SPEED);
    }

    private static String message(String trouble) {
        return trouble.length() <= WorkerRecord.MAX_TROUBLE_BYTES
                ? trouble
                : trouble.substring(0, WorkerRecord.MAX_TROUBLE_BYTES);
    }

    private static List<String> handlers(Document document) {
        return document.handlers() == null
                ? List.of()
                : document.handlers().stream()
                        .filter(Objects::nonNull)
                        .filter(name -> name.length() <= LONGEST_NAME)
                        .limit(WorkerState.MAX_HANDLERS)
                        .toList();
    }
}
