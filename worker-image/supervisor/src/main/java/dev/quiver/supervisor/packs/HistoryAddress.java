package dev.quiver.supervisor.packs;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where history takes packs.
 *
 * @param address {@code https://host:port}
 * @param token file with the token of this pod, read at each request
 * @param authorities file with the certificates in PEM to trust, read at each request; absent, missing or blank: those of
 *     the JVM
 */
public record HistoryAddress(URI address, Path token, Optional<Path> authorities) {}
