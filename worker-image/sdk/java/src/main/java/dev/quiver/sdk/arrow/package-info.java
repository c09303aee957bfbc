/**
 * Tables in and out of a handler as Arrow IPC streams. Needs arrow-vector on the class path, and no allocator of Arrow's:
 * {@link dev.quiver.sdk.arrow.ArrowMemory} is one over java.lang.foreign.
 */
package dev.quiver.sdk.arrow;
