/**
 * The contract with Redis: where keys are, how to reach the store, how scripts run, and what is known after the store
 * failed. Knows no Kubernetes. The lifecycles are in packages below this one; see DESIGN.md of this module.
 */
package dev.quiver.lifecycle;
