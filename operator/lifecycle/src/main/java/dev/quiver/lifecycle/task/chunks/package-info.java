/** Chunks: pages on their way into Redis, and the tasks that work at them. */
package dev.quiver.lifecycle.task.chunks;
