package dev.quiver.history.query;

import java.util.List;
import java.util.Optional;

/**
 * A part of a list.
 *
 * @param items in the list's order
 * @param next token of the page behind; absent on the last one
 */
public record Page<T>(List<T> items, Optional<String> next) {}
