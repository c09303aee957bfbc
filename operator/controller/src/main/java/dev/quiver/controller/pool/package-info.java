/**
 * WorkerPools: {@link dev.quiver.controller.pool.PoolPlanner} decides from facts which pods to make and which to let
 * go, {@link dev.quiver.controller.pool.podspec.WorkerPodBuilder} says what a pod looks like, the reconciler acts.
 */
package dev.quiver.controller.pool;
