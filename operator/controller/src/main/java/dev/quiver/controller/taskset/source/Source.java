package dev.quiver.controller.taskset.source;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.ordinals.ExecutionSpec;

/**
 * The tasks of a run as they were read.
 *
 * @param kind how Redis makes tasks of the source
 * @param payloads the tasks to feed, in order; empty for count and matrix
 */
public record Source(ExecutionSpec.TaskSource kind, List<String> payloads) {

    /** Its tasks, whether they are fed or not. */
    public int tasks() {
        return kind.fed() ? payloads.size() : Math.toIntExact(kind.tasks());
    }

    /**
     * Some of its tasks, with their numbers here.
     *
     * @param numbers ascending
     */
    public Source pick(List<Integer> numbers) {
        return new Source(
                new ExecutionSpec.TaskSource.Picked(kind),
                numbers.stream()
                        .map(number -> ExecutionSpec.TaskSource.Picked.payload(
                                number,
                                Optional.of(number).filter(_ -> kind.fed()).map(payloads::get)))
                        .toList());
    }

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
