package dev.quiver.controller.taskset.source;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

import dev.quiver.lifecycle.ordinals.ExecutionSpec;

/**
 * The tasks of a run as they were read.
 *
 * @param kind how Redis makes tasks of the source
 * @param payloads the tasks to feed, in order; empty for count and matrix
 */
public record Source(ExecutionSpec.TaskSource kind, List<String> payloads) {

    /** Distinguishes sources: SHA-256, 64 hex digits. */
    public String hash() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(kind.toString().getBytes(StandardCharsets.UTF_8));
            for (String payload : payloads) {
                digest.update((byte) '\n');
                digest.update(payload.getBytes(StandardCharsets.UTF_8));
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
