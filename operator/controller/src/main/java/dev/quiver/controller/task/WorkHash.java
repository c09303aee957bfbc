package dev.quiver.controller.task;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;

import dev.quiver.crds.v1alpha1.TaskSpec;

/** The hash of the work of a spec. Pure. */
final class WorkHash {

    private static final JsonMapper JSON = new JsonMapper();

    private WorkHash() {}

    static String of(TaskSpec spec) {
        try {
            byte[] work = JSON.writeValueAsBytes(Arrays.asList(spec.task(), spec.nodes(), spec.root(), spec.cleanup()));
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(work));
        } catch (JsonProcessingException | NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
