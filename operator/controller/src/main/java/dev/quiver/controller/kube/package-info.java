/**
 * Requests to the API server that all kinds share: deletion with a uid as precondition, server-side apply, refusals.
 */
package dev.quiver.controller.kube;
