/**
 * The common part of Tasks and map-reduce jobs: runs that are trees in Redis, once or by a schedule. Their acts and the
 * decisions about them, what a status shows of any tree, and how long they wait.
 */
package dev.quiver.controller.tree;
