/** Probes, drain and metrics over the JDK's own HTTP server. */
package dev.quiver.supervisor.http;
