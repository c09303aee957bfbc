/**
 * Sources of numbered tasks: a cursor, a queue of the tasks before it, and what all of them execute. {@link
 * dev.quiver.lifecycle.ordinals.OrdinalSources} is their side towards workers, {@link
 * dev.quiver.lifecycle.ordinals.OrdinalKind} is all that a kind of them adds.
 */
package dev.quiver.lifecycle.ordinals;
