package dev.quiver.controller.pool;

import java.util.function.Function;

import dev.quiver.controller.pool.podspec.PodPlatform;
import dev.quiver.controller.pool.podstatus.PodStage;
import dev.quiver.controller.pool.probe.ResourceProbes;
import dev.quiver.controller.reconcile.ControllerContext;
import dev.quiver.controller.status.StateGauge;
import dev.quiver.controller.status.StatusReporter;
import dev.quiver.controller.store.GrantedPrefixes;
import dev.quiver.controller.store.KeyspaceStates;
import dev.quiver.controller.store.PoolLoads;
import dev.quiver.controller.store.PoolQueues;
import dev.quiver.controller.store.WorkerRegistries;
import dev.quiver.controller.tenancy.Tenants;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.task.scheduling.PoolOrder;
import dev.quiver.lifecycle.worker.PoolControl;

/**
 * The parts that the reconciler of WorkerPools uses.
 *
 * @param reporter of their statuses
 * @param tenants rights of each namespace in Redis
 * @param registries workers of each pool
 * @param loads work that waits for pools that follow it
 * @param queues tasks of each pool, for metrics
 * @param resources what Tasks of pools that declare resources wait for
 * @param probes which find out whether resources are there
 * @param figures the metrics of each pool
 * @param platform the parts of pods that no pool sets
 * @param prefixes those that namespaces were granted
 * @param states whether each keyspace can be used
 * @param control of the pools of a keyspace, under the leader's present term
 * @param grants of the pools of a keyspace in Redis, under the leader's present term
 * @param orders of the Tasks of a keyspace's pools in Redis, under the leader's present term
 */
public record PoolContext(
        ControllerContext shared,
        StatusReporter<WorkerPoolStatus, WorkerPool> reporter,
        Tenants tenants,
        WorkerRegistries registries,
        PoolLoads loads,
        PoolQueues queues,
        PoolResources resources,
        ResourceProbes probes,
        PoolFigures figures,
        PodPlatform platform,
        GrantedPrefixes prefixes,
        KeyspaceStates states,
        Function<Keyspace, PoolControl> control,
        Function<Keyspace, PrefixGrants> grants,
        Function<Keyspace, PoolOrder> orders) {

    /** Calls to Redis about pools. */
    PoolCalls calls() {
        return new PoolCalls(shared.records(), shared.calls(), control);
    }

    /** Reports on WorkerPools. */
    public static StatusReporter<WorkerPoolStatus, WorkerPool> reporter(StatusReporter.Shared shared) {
        StateGauge gauge =
                new StateGauge(shared.metrics(), "quiver.pods", "Worker pods by stage", "stage", PodStage.labels());
        return new StatusReporter<>(
                shared,
                new StatusReporter.Kind<>(
                        WorkerPool::new,
                        gauge,
                        WorkerPoolStatus::conditions,
                        PoolStatusCalculator::change,
                        PoolEvents::of));
    }
}
