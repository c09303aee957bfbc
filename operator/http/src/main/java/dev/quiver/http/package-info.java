/** Probes, drain and metrics of operator and supervisor, over the JDK's own HTTP server. */
package dev.quiver.http;
