/** Other queues: installed into the cache, run as processes, driven by lines of text. */
package dev.quiver.bench.peer;
