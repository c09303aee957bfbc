/**
 * The contract with Redis: the places of keys, the way to the store, the running of scripts, and the verdict after the
 * store failed. Knows no Kubernetes. The lifecycles are in packages below this one; see DESIGN.md of this module.
 */
package dev.quiver.lifecycle;
