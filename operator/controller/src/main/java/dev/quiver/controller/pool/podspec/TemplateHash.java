package dev.quiver.controller.pool.podspec;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;

import dev.quiver.crds.v1alpha1.WorkerPoolSpec;

/**
 * Eight hex digits of a pod's parts. Two specs that make the same pod have the same hash, in any order of their maps.
 * Never read from a live pod, which admission may have changed. Pure.
 */
public final class TemplateHash {

    private static final ObjectMapper CANONICAL = JsonMapper.builder()
            .enable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .defaultPropertyInclusion(
                    JsonInclude.Value.construct(JsonInclude.Include.NON_EMPTY, JsonInclude.Include.ALWAYS))
            .build();

    private TemplateHash() {}

    public static String of(WorkerPoolSpec spec, PodPlatform platform) {
        Map<String, Object> made = new LinkedHashMap<>();
        made.put("template", spec.template());
        made.put("slots", spec.slots().count());
        made.put("inputBytes", spec.slots().inputBytes());
        made.put("outputBytes", spec.slots().outputBytes());
        made.put("supervisor", SupervisorResources.of(spec, platform));
        made.put("drainSeconds", spec.drainSeconds());
        made.put("keyspace", spec.keyspace());
        made.put("image", platform.workerImage());
        // Not its certificates: a pool does not roll because they were renewed.
        platform.history().ifPresent(history -> made.put("history", history.address()));
        spec.handlerProcess().ifPresent(handler -> made.put("handler", handler.command()));
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(CANONICAL.writeValueAsString(made).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 4);
        } catch (NoSuchAlgorithmException | JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
