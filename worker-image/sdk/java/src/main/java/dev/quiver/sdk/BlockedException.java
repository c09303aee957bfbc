package dev.quiver.sdk;

import java.time.Duration;
import java.util.regex.Pattern;

/**
 * A resource is missing, as a server says with HTTP 429. It is closed for all tasks of the pool that name it. The task goes
 * back and uses no trial; one that does not name the resource waits as long.
 */
public class BlockedException extends Exception {
    private static final Pattern NAME = Pattern.compile("[!-~]{1,128}");
    private static final Duration LONGEST = Duration.ofDays(1);

    private final String resource;
    private final Duration lasts;

    /**
     * @param resource its name, 1 to 128 printable characters of ASCII without blanks
     * @param lasts more than zero, a day at most
     */
    public BlockedException(String resource, Duration lasts) {
        super(resource + " is missing for " + lasts);
        if (!NAME.matcher(resource).matches()) {
            throw new IllegalArgumentException("BlockedException: resource has \"" + resource
                    + "\", 1 to 128 printable characters of ASCII without blanks are allowed");
        }
        if (!lasts.isPositive() || lasts.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "BlockedException: the time must be more than zero and at most a day, not " + lasts);
        }
        this.resource = resource;
        this.lasts = lasts;
    }

    /** The name of what is missing. */
    public String resource() {
        return resource;
    }

    /** For how long. */
    public Duration lasts() {
        return lasts;
    }
}
