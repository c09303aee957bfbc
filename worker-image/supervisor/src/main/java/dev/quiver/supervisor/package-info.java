/**
 * The supervisor process of a worker pod: configuration, order of start and end, health and metrics.
 *
 * <p>What it does with tasks is in {@code engine}; where they run is in {@code execution}. DESIGN.md of the module
 * says why.
 */
package dev.quiver.supervisor;
