/** Claimed tasks between claim and release: the queue, the permits, the slots. Knows of a task its owner alone. */
package dev.quiver.supervisor.engine.slots;
