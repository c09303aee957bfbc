package dev.quiver.controller.tenancy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.quiver.lifecycle.redis.RedisEndpoint;

/**
 * The content of a namespace's Secret: files {@code uri}, {@code mode}, {@code ca.crt}, as {@link RedisEndpoint#read}
 * reads them. Pure, except that it reads files.
 */
final class TenantEndpoint {

    private static final Pattern USER_INFO = Pattern.compile("://([^@/]*@)?");
    private static final Pattern PASSWORD = Pattern.compile("://[^:@/]*:([A-Za-z0-9]{16,128})@");

    private TenantEndpoint() {}

    /** The name of the namespace's Redis user. */
    static String user(String namespace) {
        return "quiver-" + namespace;
    }

    /** The name of the Redis user of a namespace's programs. No namespace has a dot, so it is no other's. */
    static String client(String namespace) {
        return user(namespace) + ".client";
    }

    /** The name of the Redis user of history. No namespace has a dot, and users of namespaces have another prefix. */
    static String history() {
        return "quiver.history";
    }

    /** The operator's endpoint with another user. */
    static Map<String, String> as(RedisEndpoint own, String user, String password) throws IOException {
        String uri = USER_INFO
                .matcher(own.uri())
                .replaceFirst(Matcher.quoteReplacement("://" + user + ":" + password + "@"));
        return files(uri, own.mode().name().toLowerCase(Locale.ROOT), own.caCertificate());
    }

    /** The operator's endpoint as it is. */
    static Map<String, String> same(RedisEndpoint own) throws IOException {
        return files(own.uri(), own.mode().name().toLowerCase(Locale.ROOT), own.caCertificate());
    }

    /** The endpoint that an administrator has prepared; absent when there is none. */
    static Optional<Map<String, String>> prepared(Path directory) throws IOException {
        if (!Files.exists(directory.resolve("uri"))) {
            return Optional.empty();
        }
        return Optional.of(same(RedisEndpoint.read(directory)));
    }

    /** The password in a Secret's URI. */
    static Optional<String> password(Map<String, String> files) {
        return Optional.ofNullable(files.get("uri"))
                .map(PASSWORD::matcher)
                .filter(Matcher::find)
                .map(m -> m.group(1));
    }

    /** Whether the connection to Redis has TLS. */
    static boolean encrypted(Map<String, String> files) {
        return files.getOrDefault("uri", "").startsWith("rediss");
    }

    private static Map<String, String> files(String uri, String mode, Optional<Path> ca) throws IOException {
        Map<String, String> files = new HashMap<>();
        files.put("uri", uri);
        files.put("mode", mode);
        if (ca.isPresent()) {
            files.put("ca.crt", Files.readString(ca.get()));
        }
        return files;
    }
}
