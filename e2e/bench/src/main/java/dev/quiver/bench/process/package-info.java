/** The processes that a benchmark starts, measures and ends. */
package dev.quiver.bench.process;
