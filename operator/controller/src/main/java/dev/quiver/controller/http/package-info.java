/** What the operator serves over HTTP: health and metrics. */
package dev.quiver.controller.http;
