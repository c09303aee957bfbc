package dev.quiver.controller.pool;

import dev.quiver.controller.pool.podspec.PodPlatform;
import dev.quiver.controller.pool.podstatus.PodStage;
import dev.quiver.controller.reconcile.ControllerContext;
import dev.quiver.controller.status.StateGauge;
import dev.quiver.controller.status.StatusReporter;
import dev.quiver.controller.store.WorkerRegistries;
import dev.quiver.controller.tenancy.Tenants;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;

/**
 * What the reconciler of WorkerPools acts on.
 *
 * @param reporter of their statuses
 * @param tenants what each namespace may do in Redis
 * @param registries who works in which pool
 * @param platform what pods are made of that no pool says
 */
public record PoolContext(
        ControllerContext shared,
        StatusReporter<WorkerPoolStatus, WorkerPool> reporter,
        Tenants tenants,
        WorkerRegistries registries,
        PodPlatform platform) {

    /** Reports on WorkerPools. */
    public static StatusReporter<WorkerPoolStatus, WorkerPool> reporter(StatusReporter.Shared shared) {
        StateGauge gauge =
                new StateGauge(shared.metrics(), "quiver.pods", "Worker pods by stage", "stage", PodStage.labels());
        return new StatusReporter<>(
                shared,
                new StatusReporter.Kind<>(WorkerPool::new, gauge, PoolStatusCalculator::change, PoolEvents::of));
    }
}
