/** Pools that follow their work: what they cost while idle, and what a burst gets. */
package dev.quiver.bench.autoscale;
