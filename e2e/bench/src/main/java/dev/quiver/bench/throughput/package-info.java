/** No-op tasks a second through Redis, beside BullMQ and asynq. */
package dev.quiver.bench.throughput;
