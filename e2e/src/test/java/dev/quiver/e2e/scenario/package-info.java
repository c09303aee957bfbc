/**
 * The things that a person sees, and what happens when they go wrong: each test a promise, checked from outside on a real
 * cluster.
 */
package dev.quiver.e2e.scenario;
