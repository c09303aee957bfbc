/**
 * Tasks: trees of work whose leaves wait in one queue for each pool. The root of a tree is one unit of work or a
 * composite: a chain, a group, a group with a child for each element of an array, an iterator.
 */
package dev.quiver.lifecycle.task;
