/**
 * Sources of numbered tasks: a cursor, a queue of the tasks before it, and the specification of all tasks. {@link
 * dev.quiver.lifecycle.ordinals.OrdinalSources} is their side towards workers. {@link
 * dev.quiver.lifecycle.ordinals.OrdinalKind} holds all that one kind of them adds.
 */
package dev.quiver.lifecycle.ordinals;
