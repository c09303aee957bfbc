/** A real API server, the real operator and a whole cluster, for the benchmarks of the Kubernetes side. */
package dev.quiver.bench.kube;
