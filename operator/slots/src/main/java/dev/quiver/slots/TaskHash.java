package dev.quiver.slots;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The name of a task in its slot: the SHA-256 of its id, which may be longer than the field. Not thread-safe. */
public final class TaskHash {
    private final MessageDigest sha256;

    /** A digest to be used again and again. */
    public TaskHash() {
        try {
            this.sha256 = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    byte[] bytes(String taskId) {
        return sha256.digest(taskId.getBytes(StandardCharsets.UTF_8));
    }

    /** 64 hexadecimal digits for {@link Assignment#taskId}. */
    public String of(String taskId) {
        return HexFormat.of().formatHex(bytes(taskId));
    }
}
