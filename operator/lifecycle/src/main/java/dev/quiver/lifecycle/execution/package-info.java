/** One attempt to run a task: what is executed, its input, what a slot adds. Knows no Redis. */
package dev.quiver.lifecycle.execution;
