package dev.quiver.controller;

import java.util.List;

import io.fabric8.kubernetes.client.CustomResource;

import dev.quiver.crds.v1alpha1.MapReduceJob;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.WorkerPool;

/** The kinds of resource that this operator reconciles. */
final class Kinds {

    /** All kinds; a kind that makes resources of others comes before those. */
    static final List<Class<? extends CustomResource<?, ?>>> ALL =
            List.of(TaskSet.class, Task.class, MapReduceJob.class, WorkerPool.class);

    private Kinds() {}
}
