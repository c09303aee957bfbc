package dev.quiver.lifecycle.redis;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The version of a server, as INFO has it. Valkey has that of the Redis whose commands it has.
 *
 * @param text such as {@code 7.2.4}; empty where nobody told
 */
public record RedisVersion(String text) {

    private static final Pattern NUMBERS = Pattern.compile("(\\d{1,6})\\.(\\d{1,6}).*");

    /** Whether it has WAITAOF, by which a client learns that the disk has what it wrote. */
    public boolean tellsOfDisk() {
        Matcher numbers = NUMBERS.matcher(text);
        if (!numbers.matches()) {
            return false;
        }
        int major = Integer.parseInt(numbers.group(1));
        return major > 7 || major == 7 && Integer.parseInt(numbers.group(2)) >= 2;
    }
}
