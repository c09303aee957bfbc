/**
 * Tasks: trees of work whose leaves wait in one queue for each pool. The root of a tree is one unit of work or a
 * composite: a chain, a group, a group with a child for each element of an array, an iterator. The classes are in the
 * packages below, in the order in which they may use each other: keys, model, rows, work, results, chunks, commands;
 * then tree, producer and queue; schedule over tree.
 */
package dev.quiver.lifecycle.task;
