/**
 * The operator's own view of Redis: whether it answers, what changed, who works, and what each namespace may do there.
 * Reconcilers see {@link dev.quiver.controller.store.StoreState}, never a client.
 */
package dev.quiver.controller.store;
