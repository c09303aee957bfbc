/** Requests to the API server of the cluster, over the JDK's HTTP client. Knows no resource. */
package dev.quiver.history.kube;
