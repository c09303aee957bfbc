/** The workers' side: the queue of a pool and the chunks of a node as sources of work. */
package dev.quiver.lifecycle.task.queue;
