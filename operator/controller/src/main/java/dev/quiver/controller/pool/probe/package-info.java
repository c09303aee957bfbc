/** Probes: how the operator finds out by itself whether a resource of a pool is there. */
package dev.quiver.controller.pool.probe;
