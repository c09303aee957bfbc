/** One trial of a task: its program or function, its input, and the facts of its slot. Knows no Redis. */
package dev.quiver.lifecycle.execution;
