/**
 * The operator's view of Redis: its state, followed resources, workers, keys without owner. Reconcilers get {@link
 * dev.quiver.controller.store.StoreState}, never a client.
 */
package dev.quiver.controller.store;
