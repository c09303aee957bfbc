/**
 * WorkerPools: {@link dev.quiver.controller.pool.PoolPlanner} decides from facts which pods to make and which to
 * delete. {@link dev.quiver.controller.pool.podspec.WorkerPodBuilder} makes the pod, and the reconciler acts.
 */
package dev.quiver.controller.pool;
