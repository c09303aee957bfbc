package dev.quiver.controller.rig;

import java.util.List;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;

import dev.quiver.crds.v1alpha1.Handler;
import dev.quiver.crds.v1alpha1.MapReduceJob;
import dev.quiver.crds.v1alpha1.MapReduceJobSpecBuilder;
import dev.quiver.crds.v1alpha1.MapReduceMap;
import dev.quiver.crds.v1alpha1.MapReducePart;
import dev.quiver.crds.v1alpha1.Task;
import dev.quiver.crds.v1alpha1.TaskNode;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetSpecBuilder;
import dev.quiver.crds.v1alpha1.TaskSource;
import dev.quiver.crds.v1alpha1.TaskSpecBuilder;
import dev.quiver.crds.v1alpha1.TaskTemplate;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;
import dev.quiver.crds.v1alpha1.WorkerTemplateBuilder;

/** Small resources to start from. */
public final class Samples {

    private Samples() {}

    /** A template with nothing but a worker. */
    public static PodTemplateSpec template() {
        return template("app:1");
    }

    /** With that image. */
    public static PodTemplateSpec template(String image) {
        return new PodTemplateSpecBuilder()
                .withNewSpec()
                .addNewContainer()
                .withName("worker")
                .withImage(image)
                .endContainer()
                .endSpec()
                .build();
    }

    /** A pool of so many pods. */
    public static WorkerPool pool(String name, int replicas) {
        WorkerPool pool = new WorkerPool();
        pool.setMetadata(new ObjectMetaBuilder().withName(name).build());
        pool.setSpec(WorkerPoolSpecBuilder.builder()
                .replicas(replicas)
                .template(template())
                .build());
        return pool;
    }

    /** A run of so many tasks on one worker of its own; change it through the builder. */
    public static TaskSetSpecBuilder counted(int tasks) {
        return TaskSetSpecBuilder.builder()
                .replicas(1)
                .workerTemplate(
                        WorkerTemplateBuilder.builder().template(template()).build())
                .source(TaskSource.ofCount(tasks))
                .task(TaskTemplate.ofCommand("true"));
    }

    /** Changes fields of a spec as {@code kubectl patch} does, whatever else changes meanwhile. */
    public static <T extends HasMetadata> void patch(
            KubernetesClient client, Class<T> kind, String name, String specFields) {
        client.resources(kind)
                .withName(name)
                .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{" + specFields + "}}");
    }

    /** A pool of so many pods that serve handlers. */
    public static WorkerPool serving(String name, int replicas) {
        WorkerPool pool = pool(name, replicas);
        pool.setSpec(WorkerPoolSpecBuilder.builder(pool.getSpec())
                .handler(new Handler(List.of("python3", "-m", "functions")))
                .build());
        return pool;
    }

    /** A tree of these nodes on that pool; change it through the builder. */
    public static TaskSpecBuilder tree(String pool, TaskNode... nodes) {
        return TaskSpecBuilder.builder().workerPoolRef(new WorkerPoolRef(pool)).nodes(List.of(nodes));
    }

    /** A Task with that spec. */
    public static Task task(String name, TaskSpecBuilder spec) {
        Task task = new Task();
        task.setMetadata(new ObjectMetaBuilder().withName(name).build());
        task.setSpec(spec.build());
        return task;
    }

    /** A map-reduce of these functions on that pool, without reduce where it is null; change it through the builder. */
    public static MapReduceJobSpecBuilder mapReduce(String pool, String map, String process, String reduce) {
        return MapReduceJobSpecBuilder.builder()
                .workerPoolRef(new WorkerPoolRef(pool))
                .map(MapReduceMap.ofHandler(map))
                .process(MapReducePart.ofHandler(process))
                .reduce(reduce == null ? null : MapReducePart.ofHandler(reduce));
    }

    /** A job with that spec. */
    public static MapReduceJob job(String name, MapReduceJobSpecBuilder spec) {
        MapReduceJob job = new MapReduceJob();
        job.setMetadata(new ObjectMetaBuilder().withName(name).build());
        job.setSpec(spec.build());
        return job;
    }

    /** A run with that spec. */
    public static TaskSet set(String name, TaskSetSpecBuilder spec) {
        TaskSet set = new TaskSet();
        set.setMetadata(new ObjectMetaBuilder().withName(name).build());
        set.setSpec(spec.build());
        return set;
    }
}
