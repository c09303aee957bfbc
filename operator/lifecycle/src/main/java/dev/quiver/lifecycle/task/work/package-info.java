/** A leaf as a worker gets it, and the meaning of its answer. */
package dev.quiver.lifecycle.task.work;
