package dev.quiver.controller.pool;

import dev.quiver.crds.v1alpha1.WorkerPoolReason;

/**
 * Why no pod can be made.
 *
 * @param reason the one word of the condition
 * @param message who stands in the way: field and value, or the API server's own words
 */
record Objection(WorkerPoolReason reason, String message) {}
