/**
 * What the scenarios stand on: Quiver installed once on the cluster that was found, a namespace for each test, and the
 * tools of a person: kubectl, redis-cli, a shell on a node.
 */
package dev.quiver.e2e.quiver;
