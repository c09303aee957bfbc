/**
 * Arrow IPC streams as a row of messages: cut into batches, joined, and described. Columns are never looked at. Knows
 * nothing of ours.
 */
package dev.quiver.lifecycle.arrow;
