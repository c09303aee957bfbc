/**
 * The operator's view of Redis: whether it answers, resources that are followed, workers, keys without owner.
 * Reconcilers get {@link dev.quiver.controller.store.StoreState}, never a client.
 */
package dev.quiver.controller.store;
