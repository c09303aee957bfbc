/** Probes and metrics, which the operator serves over HTTP. */
package dev.quiver.controller.http;
