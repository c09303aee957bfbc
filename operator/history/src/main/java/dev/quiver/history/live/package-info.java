/** The present state of runs, and the workers that have their tasks, from Redis. Knows nothing of SQL and HTTP. */
package dev.quiver.history.live;
