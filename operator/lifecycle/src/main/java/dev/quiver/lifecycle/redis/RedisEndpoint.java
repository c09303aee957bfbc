package dev.quiver.lifecycle.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lettuce.core.RedisURI;

/**
 * Where Redis is and how to trust it. The password is part of the URI: {@link #toString()} leaves it out.
 *
 * @param uri {@code redis://user:password@host:port/db}, {@code rediss://…} for TLS, {@code redis-sentinel://…#master}
 * @param mode how the deployment is addressed
 * @param caCertificate PEM file to trust instead of the JVM's authorities; only with TLS
 */
public record RedisEndpoint(String uri, RedisMode mode, Optional<Path> caCertificate) {

    private static final Pattern PARTS =
            Pattern.compile("(?s)redis[a-z+-]*://(?<authority>[^/?#]*)(?<rest>.*)", Pattern.CASE_INSENSITIVE);

    /** The library takes a port that is none for a part of the host. */
    private static final Pattern HOST = Pattern.compile("[^:]+|\\[?[0-9a-fA-F.%]*(:[0-9a-fA-F.%]*){2,}\\]?");

    private static final String ENCODE =
            "user and password in uri must be percent-encoded: # is %23, % is %25, / is %2F, : is"
                    + " %3A, ? is %3F, @ is %40, [ is %5B and ] is %5D";

    /** All components must be present. */
    public RedisEndpoint {
        Objects.requireNonNull(uri, "uri");
        Objects.requireNonNull(mode, "mode");
        Objects.requireNonNull(caCertificate, "caCertificate");
        parsed(uri);
    }

    /** The URI as the client library takes it. Its user and password are decoded. */
    public RedisURI address() {
        return parsed(uri);
    }

    /** The number of the database that the URI names, 0 where it names none. */
    public int database() {
        return parsed(uri).getDatabase();
    }

    /** No message and no cause has the URI in it: its password would stand in logs. */
    private static RedisURI parsed(String uri) {
        Matcher parts = PARTS.matcher(uri);
        if (!parts.matches()) {
            throw new IllegalArgumentException("uri must begin with redis://, rediss:// or redis-sentinel://");
        }
        if (parts.group("rest").indexOf('@') >= 0 || parts.group("authority").split("@", -1).length > 2) {
            throw new IllegalArgumentException(ENCODE);
        }
        try {
            RedisURI read = RedisURI.create(uri);
            if (read.getSentinels().isEmpty()
                    && !HOST.matcher(String.valueOf(read.getHost())).matches()) {
                throw new IllegalArgumentException("no host");
            }
            return read;
        } catch (RuntimeException unreadable) {
            throw new IllegalArgumentException(
                    parts.group("authority").indexOf('@') >= 0
                            ? ENCODE + "; or its host, port or database cannot be read"
                            : "the host, port or database of uri cannot be read");
        }
    }

    /** A standalone server without a CA of its own. */
    public static RedisEndpoint standalone(String uri) {
        return new RedisEndpoint(uri, RedisMode.STANDALONE, Optional.empty());
    }

    /**
     * Reads the mounted Secret {@code quiver-redis}: files {@code uri}, {@code mode} ({@code standalone} when absent)
     * and {@code ca.crt} (optional). Kubernetes replaces the files when the Secret changes: read again to follow.
     *
     * @throws IOException when {@code uri} is missing or cannot be read as one, or {@code mode} is none of the three words;
     *     the message never has the URI
     */
    public static RedisEndpoint read(Path directory) throws IOException {
        String uri = Files.readString(directory.resolve("uri")).strip();
        Path modeFile = directory.resolve("mode");
        String word = Files.exists(modeFile) ? Files.readString(modeFile).strip() : "standalone";
        Path ca = directory.resolve("ca.crt");
        RedisMode mode;
        try {
            mode = RedisMode.valueOf(word.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new IOException(modeFile + " must say standalone, sentinel or cluster, not " + word, e);
        }
        try {
            return new RedisEndpoint(uri, mode, Files.exists(ca) ? Optional.of(ca) : Optional.empty());
        } catch (IllegalArgumentException e) {
            throw new IOException("key uri of the Secret with the way to Redis (" + directory.resolve("uri")
                    + ") cannot be used: " + e.getMessage());
        }
    }

    /** The endpoint in words, without user and password, and without parameters. */
    @Override
    public String toString() {
        String shown = uri.replaceFirst("(?s)://.*@", "://").replaceFirst("(?s)\\?[^#]*", "");
        return mode.name().toLowerCase(Locale.ROOT) + " " + shown;
    }
}
