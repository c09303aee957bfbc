package dev.quiver.sdk;

import java.nio.charset.StandardCharsets;
import java.util.Collection;

/** The rules for the names that a process serves. */
final class Names {
    private static final int MOST = 64;
    private static final int MOST_BYTES = 128;

    private Names() {}

    /**
     * Joined as they are announced.
     *
     * @throws IllegalArgumentException for names that cannot be
     */
    static String joined(Collection<String> names) {
        if (names.isEmpty() || names.size() > MOST) {
            throw new IllegalArgumentException("a process serves 1 to " + MOST + " handlers, not " + names.size());
        }
        for (String name : names) {
            int bytes = name.getBytes(StandardCharsets.UTF_8).length;
            if (bytes < 1 || bytes > MOST_BYTES || name.chars().anyMatch(Character::isISOControl)) {
                throw new IllegalArgumentException("a handler's name has 1 to " + MOST_BYTES
                        + " bytes without control characters, \"" + name + "\" has " + bytes);
            }
        }
        return String.join("\n", names);
    }
}
