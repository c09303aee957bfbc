package dev.quiver.controller.pool;

import dev.quiver.crds.v1alpha1.WorkerPoolReason;

/**
 * The reason why no pod can be made.
 *
 * @param reason of the condition
 * @param message field and value, or the API server's message
 */
record Blocker(WorkerPoolReason reason, String message) {}
