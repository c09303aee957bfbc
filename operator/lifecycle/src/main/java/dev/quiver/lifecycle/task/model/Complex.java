package dev.quiver.lifecycle.task.model;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

import dev.quiver.lifecycle.execution.Utf8;

/**
 * The complex task that a leaf is of: a function that keeps a state for each key, and markers of what is to be done. A leaf
 * without a marker is a request, whose plan changes both and ends it.
 *
 * @param handler the function
 * @param key whose state it is
 * @param marker that the leaf executes; absent for a request
 */
public record Complex(String handler, String key, Optional<String> marker) {

    /** Bytes of function and key together at most: the name of a resource has both. */
    public static final int MOST_BYTES = Rank.NAME_BYTES - "complex!!".length();

    private static final Pattern NAME = Pattern.compile("[!-~]+");

    private static final String RESOURCE = "complex!";

    /**
     * The request to a key.
     *
     * @throws IllegalArgumentException for characters other than printable ones of ASCII, and for too many of them
     */
    public static Complex request(String handler, String key) {
        if (!NAME.matcher(key).matches()) {
            throw new IllegalArgumentException("complexKey is \"" + Utf8.firstBytes(key, 80)
                    + "\", printable characters of ASCII without blanks are needed");
        }
        if (!NAME.matcher(handler).matches()) {
            throw new IllegalArgumentException("handler \"" + Utf8.firstBytes(handler, 80)
                    + "\" has a complexKey, so its name has printable characters of ASCII without blanks alone");
        }
        int bytes = handler.length() + key.length();
        if (bytes > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "handler and complexKey have " + bytes + " bytes together, at most " + MOST_BYTES + " are allowed");
        }
        return new Complex(handler, key, Optional.empty());
    }

    /** The same of a leaf that executes a marker. */
    public Complex of(String name) {
        return new Complex(handler, key, Optional.of(name));
    }

    /** Its name in a pool, as the scripts keep it: by the pool's permits its plans and markers take turns. */
    public String name(String pool) {
        return pool + '/' + handler + '\0' + key;
    }

    /** The resource by which its plans and markers take turns: there is one permit, without anybody declaring it. */
    public String resource() {
        return RESOURCE + handler + '!' + key;
    }

    /** The rank of a request: no resource but that one, for its plan needs no other. */
    public Rank rank(Rank own) {
        return own.withResources(List.of(resource()));
    }
}
