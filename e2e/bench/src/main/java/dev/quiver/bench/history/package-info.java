/**
 * Benchmarks of the record of runs: its cost, the speed of its writing, and the speed of its reading by people and
 * programs.
 */
package dev.quiver.bench.history;
