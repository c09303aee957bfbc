/** What a run costs the API server, the CR and Redis, by the number of its tasks. */
package dev.quiver.bench.scale;
