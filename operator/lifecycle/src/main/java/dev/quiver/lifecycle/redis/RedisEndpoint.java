package dev.quiver.lifecycle.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * Where Redis is and how to trust it. The password is part of the URI: {@link #toString()} leaves it out.
 *
 * @param uri {@code redis://user:password@host:port/db}, {@code rediss://…} for TLS, {@code redis-sentinel://…#master}
 * @param mode how the deployment is addressed
 * @param caCertificate PEM file to trust instead of the JVM's authorities; only with TLS
 */
public record RedisEndpoint(String uri, RedisMode mode, Optional<Path> caCertificate) {

    /** All components must be present. */
    public RedisEndpoint {
        Objects.requireNonNull(uri, "uri");
        Objects.requireNonNull(mode, "mode");
        Objects.requireNonNull(caCertificate, "caCertificate");
    }

    /** A standalone server without a CA of its own. */
    public static RedisEndpoint standalone(String uri) {
        return new RedisEndpoint(uri, RedisMode.STANDALONE, Optional.empty());
    }

    /**
     * Reads the mounted Secret {@code quiver-redis}: files {@code uri}, {@code mode} ({@code standalone} when absent)
     * and {@code ca.crt} (optional). Kubernetes replaces the files when the Secret changes: read again to follow.
     *
     * @throws IOException when {@code uri} is missing or unreadable, or {@code mode} is none of the three words
     */
    public static RedisEndpoint read(Path directory) throws IOException {
        String uri = Files.readString(directory.resolve("uri")).strip();
        Path modeFile = directory.resolve("mode");
        String word = Files.exists(modeFile) ? Files.readString(modeFile).strip() : "standalone";
        Path ca = directory.resolve("ca.crt");
        try {
            return new RedisEndpoint(
                    uri,
                    RedisMode.valueOf(word.toUpperCase(Locale.ROOT)),
                    Files.exists(ca) ? Optional.of(ca) : Optional.empty());
        } catch (IllegalArgumentException e) {
            throw new IOException(modeFile + " must say standalone, sentinel or cluster, not " + word, e);
        }
    }

    /** The endpoint in words, without user and password. */
    @Override
    public String toString() {
        return mode.name().toLowerCase(Locale.ROOT) + " " + uri.replaceFirst("://[^@/]*@", "://");
    }
}
