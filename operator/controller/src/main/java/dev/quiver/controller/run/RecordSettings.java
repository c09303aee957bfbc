package dev.quiver.controller.run;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where the operator asks for the record.
 *
 * @param address {@code https://host:port} of history
 * @param authorities file with the certificates in PEM that are trusted there; absent, or not there: those of the runtime
 * @param token file with the operator's token for history; a renewed one is read
 */
public record RecordSettings(URI address, Optional<Path> authorities, Path token) {}
