/** From the call that enqueues a task to its start on a warm worker. */
package dev.quiver.bench.latency;
