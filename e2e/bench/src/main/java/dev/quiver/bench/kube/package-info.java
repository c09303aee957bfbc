/** A real API server, the real operator, a whole cluster: what the benchmarks of the Kubernetes side stand on. */
package dev.quiver.bench.kube;
