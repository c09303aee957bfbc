package dev.quiver.controller;

import java.time.Duration;
import java.util.function.Function;

import io.fabric8.kubernetes.client.KubernetesClient;

import dev.quiver.controller.serve.ResourceGauges;
import dev.quiver.controller.status.Announcer;
import dev.quiver.controller.status.Busyness;
import dev.quiver.controller.status.StatusWriter;
import dev.quiver.controller.store.Followed;
import dev.quiver.controller.store.KeptFacts;
import dev.quiver.controller.store.Rosters;
import dev.quiver.controller.store.Store;
import dev.quiver.controller.store.Tenants;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolStatus;
import dev.quiver.lifecycle.keyspace.DirtyMark;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.taskset.TaskSetControl;

/**
 * The doors through which both reconcilers act on the world: made once, passed by constructor.
 *
 * @param kubernetes the API server
 * @param store Redis
 * @param tenants what each namespace may do in Redis
 * @param rosters who works in which pool
 * @param control of the TaskSets in a keyspace
 * @param runs which TaskSets are followed, and what changed
 * @param poolStatus writes the status of pools
 * @param setStatus writes the status of TaskSets
 * @param announcer writes Events
 * @param busyness how many resources share the budget
 * @param facts what is kept beside Redis
 * @param gauges counts what is seen
 * @param storePatience how long a deletion waits for Redis
 */
public record Doors(
        KubernetesClient kubernetes,
        Store store,
        Tenants tenants,
        Rosters rosters,
        Function<Keyspace, TaskSetControl> control,
        Followed<DirtyMark> runs,
        StatusWriter<WorkerPoolStatus, WorkerPool> poolStatus,
        StatusWriter<TaskSetStatus, TaskSet> setStatus,
        Announcer announcer,
        Busyness busyness,
        KeptFacts facts,
        ResourceGauges gauges,
        Duration storePatience) {}
