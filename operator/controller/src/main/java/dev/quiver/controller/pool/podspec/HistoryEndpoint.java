package dev.quiver.controller.pool.podspec;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Where supervisors bring results that are too large for their rows.
 *
 * @param address {@code https://host:port} of history, as pods of every namespace reach it
 * @param authorities file with the certificates in PEM that supervisors trust there. The Secret of each namespace carries
 *     them, so a renewed file reaches running pods. Absent: those of the supervisors' runtime
 */
public record HistoryEndpoint(String address, Optional<Path> authorities) {}
