/**
 * The benchmarks behind {@code e2e/run bench}. Each answers one question of the project's aims. Its figures carry their
 * conditions, and stand beside those of other queues on the same machine in the same run. DESIGN.md names the
 * comparison of each, and why it is fair.
 */
package dev.quiver.bench;
