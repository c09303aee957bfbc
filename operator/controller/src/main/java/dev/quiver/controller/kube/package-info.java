/** What the operator says to the API server whatever the kind: exact deletions, server-side apply, refusals. */
package dev.quiver.controller.kube;
