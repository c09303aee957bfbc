/**
 * The supervisor process of a worker pod: configuration, order of start and end, health and metrics.
 *
 * <p>Its work with tasks is in {@code engine}, and the places where tasks run are in {@code execution}. DESIGN.md of
 * the module says why.
 */
package dev.quiver.supervisor;
