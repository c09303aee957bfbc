package dev.quiver.sdk;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.regex.Pattern;

/** The rules for the names that a process serves. */
final class Names {
    private static final int MOST = 64;
    private static final int MOST_BYTES = 128;
    private static final int MOST_OF_COMPLEX = MOST_BYTES - ContingencyHandler.SUFFIX.length();
    private static final Pattern COMPLEX = Pattern.compile("[!-~]{1," + MOST_OF_COMPLEX + "}");

    private Names() {}

    /**
     * The name of what a function has beside it.
     *
     * @throws IllegalArgumentException for a name that leaves no room for it
     */
    static String of(String name, Beside.Kind kind) {
        int most = MOST_BYTES - kind.suffix().length();
        if (bytes(name) > most) {
            throw new IllegalArgumentException("the name of a handler with a " + kind.word() + " has at most " + most
                    + " bytes, \"" + name + "\" has " + bytes(name));
        }
        return name + kind.suffix();
    }

    /**
     * Checks that of a complex task, which requests name.
     *
     * @throws IllegalArgumentException for a name that none can have
     */
    static void checkComplex(String name) {
        if (!COMPLEX.matcher(name).matches()) {
            throw new IllegalArgumentException("the name of a complex task has 1 to " + MOST_OF_COMPLEX
                    + " printable characters of ASCII without blanks, not \"" + name + "\"");
        }
    }

    /**
     * Checks what a program calls its functions.
     *
     * @throws IllegalArgumentException for the name of a plan or a contingency
     */
    static void checkUnreserved(Collection<String> names) {
        for (String name : names) {
            for (Beside.Kind kind : Beside.Kind.values()) {
                if (name.endsWith(kind.suffix())) {
                    throw new IllegalArgumentException("a handler's name does not end in \"" + kind.suffix()
                            + "\", which is for " + kind.all() + ": \"" + name + "\"");
                }
            }
        }
    }

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
            int bytes = bytes(name);
            if (bytes < 1 || bytes > MOST_BYTES || name.chars().anyMatch(Character::isISOControl)) {
                throw new IllegalArgumentException("a handler's name has 1 to " + MOST_BYTES
                        + " bytes without control characters, \"" + name + "\" has " + bytes);
            }
        }
        return String.join("\n", names);
    }

    private static int bytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8).length;
    }
}
