package dev.quiver.controller.pool.podspec;

import java.util.Optional;

/**
 * Where supervisors bring results that are too large for their rows.
 *
 * @param address {@code https://host:port} of history, as pods of every namespace reach it
 * @param authorities certificates in PEM that supervisors trust there; absent: those of their runtime
 */
public record HistoryEndpoint(String address, Optional<String> authorities) {}
