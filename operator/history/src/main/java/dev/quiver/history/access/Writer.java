package dev.quiver.history.access;

/**
 * A pod that brings packs.
 *
 * @param namespace whose runs it may write, and no other's
 * @param pod its name
 */
public record Writer(String namespace, String pod) {}
