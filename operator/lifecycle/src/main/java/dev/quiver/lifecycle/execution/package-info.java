/** One attempt to run a task: its program or function, its input, and the facts of its slot. Knows no Redis. */
package dev.quiver.lifecycle.execution;
