/** The cost of a run for the API server, the CR and Redis, by the number of its tasks. */
package dev.quiver.bench.scale;
