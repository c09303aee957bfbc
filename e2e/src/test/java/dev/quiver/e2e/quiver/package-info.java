/**
 * The ground of the scenarios: Quiver installed once on the cluster that was found, and a namespace for each test. The
 * tools of a person are here, too: kubectl, redis-cli, a shell on a node.
 */
package dev.quiver.e2e.quiver;
