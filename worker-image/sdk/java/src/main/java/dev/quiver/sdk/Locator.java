package dev.quiver.sdk;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;

/**
 * The place of data that does not travel through the slot. It is a file on a volume that both sides mount, or a URL
 * that the handler's own code knows how to read.
 *
 * @param url an absolute path, {@code file:///path} or any other URL, 1 to {@value #MOST_BYTES} bytes of UTF-8 without
 *     control characters
 * @param format of what lies there
 */
public record Locator(String url, Format format) {
    /** Bytes of the longest URL. */
    public static final int MOST_BYTES = 1024;

    public Locator {
        Objects.requireNonNull(format);
        boolean control = url.chars().anyMatch(Character::isISOControl);
        if (url.isEmpty() || control || url.getBytes(StandardCharsets.UTF_8).length > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "a locator has 1 to " + MOST_BYTES + " bytes without control characters");
        }
        if (format == Format.ARGUMENTS || format == Format.EFFECTS) {
            throw new IllegalArgumentException("a locator leads to bytes, JSON or Arrow, not to "
                    + format.name().toLowerCase(Locale.ROOT));
        }
    }

    /**
     * The local file.
     *
     * @throws IllegalArgumentException for any other URL
     */
    public Path path() {
        if (url.startsWith("/")) {
            return Path.of(url);
        }
        if (url.startsWith("file:/")) {
            return Path.of(URI.create(url));
        }
        throw new IllegalArgumentException(url + " is not a local path: reading it is for the handler's own code");
    }
}
