package dev.quiver.sdk;

import java.nio.charset.StandardCharsets;
import java.util.Collection;

/** The rules for the names that a process serves. */
final class Names {
    private static final int MOST = 64;
    private static final int MOST_BYTES = 128;

    private Names() {}

    /**
     * The name of a function's plan.
     *
     * @throws IllegalArgumentException for a name that leaves no room for it
     */
    static String ofPlan(String name) {
        int most = MOST_BYTES - PlanHandler.SUFFIX.length();
        if (bytes(name) > most) {
            throw new IllegalArgumentException("the name of a handler with a plan has at most " + most + " bytes, \""
                    + name + "\" has " + bytes(name));
        }
        return name + PlanHandler.SUFFIX;
    }

    /**
     * Checks what a program calls its functions.
     *
     * @throws IllegalArgumentException for the name of a plan
     */
    static void checkUnreserved(Collection<String> names) {
        for (String name : names) {
            if (name.endsWith(PlanHandler.SUFFIX)) {
                throw new IllegalArgumentException("a handler's name does not end in \"" + PlanHandler.SUFFIX
                        + "\", which is for plans: \"" + name + "\"");
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
