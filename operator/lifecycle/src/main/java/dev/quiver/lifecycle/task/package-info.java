/**
 * Tasks: trees of work whose leaves wait in one queue for each pool. The root of a tree is one unit of work or a
 * composite. A composite is a chain, a group, a group with a child for each element of an array, or an iterator. The
 * classes are in the packages below. The order in which the packages may use each other is keys, model, rows, work,
 * results, chunks, commands. Then come tree, producer and queue, and schedule over tree.
 */
package dev.quiver.lifecycle.task;
