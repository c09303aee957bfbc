/**
 * The benchmarks behind {@code e2e/run bench}: each answers one question of the project's aims with figures that carry
 * their conditions, beside what others do on the same machine in the same run. DESIGN.md says against what and why that
 * is fair.
 */
package dev.quiver.bench;
