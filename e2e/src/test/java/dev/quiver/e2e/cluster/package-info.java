/**
 * The cluster that end-to-end tests run on, found or started: an existing one, k3s in Docker, or a local one of real
 * parts. {@link dev.quiver.e2e.cluster.ClusterExtension} hands it to tests; e2e/DESIGN.md says why there are three.
 */
package dev.quiver.e2e.cluster;
