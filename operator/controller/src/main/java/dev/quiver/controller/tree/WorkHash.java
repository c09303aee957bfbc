package dev.quiver.controller.tree;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;

/** The hash of the work of a spec. Pure. */
public final class WorkHash {

    private static final JsonMapper JSON = new JsonMapper();

    private WorkHash() {}

    /** That of these parts, each of which may be null. */
    public static String of(Object... parts) {
        try {
            byte[] work = JSON.writeValueAsBytes(Arrays.asList(parts));
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(work));
        } catch (JsonProcessingException | NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
