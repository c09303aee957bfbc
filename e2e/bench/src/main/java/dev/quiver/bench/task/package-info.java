/** Trees of Tasks a second, beside TaskSets and the peers on one Redis. */
package dev.quiver.bench.task;
