/** The engine's counters as Prometheus text. */
package dev.quiver.supervisor.metrics;
