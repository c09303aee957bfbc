/** BullMQ and asynq: installed into the cache, run as processes, spoken to by lines. */
package dev.quiver.bench.peer;
