package dev.quiver.controller.tree;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;

/** The hash of the work of a spec. Pure. */
public final class WorkHash {

    private static final JsonMapper JSON = new JsonMapper();

    private WorkHash() {}

    /** The hash of the work which Redis has for the next run of a schedule. */
    public static String next(TreeView view) {
        String known = view.before().workHash();
        boolean same =
                view.run().getMetadata().getGeneration().equals(view.before().observedGeneration());
        return known != null && (same || !view.adjusted()) ? known : view.workHash();
    }

    /** The hash of the work which Redis has for this run. */
    public static String present(TreeView view) {
        return Optional.ofNullable(view.before().workHash()).orElseGet(view::workHash);
    }

    /** The hash of these parts, each of which may be null. */
    public static String of(Object... parts) {
        try {
            byte[] work = JSON.writeValueAsBytes(Arrays.asList(parts));
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(work));
        } catch (JsonProcessingException | NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
