/**
 * The operator's own view of Redis: whether it answers, what is followed there, who works, what nobody owns.
 * Reconcilers see {@link dev.quiver.controller.store.StoreState}, never a client.
 */
package dev.quiver.controller.store;
