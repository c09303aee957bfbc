package dev.quiver.crds.v1alpha1;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;

/** The smallest resources that are right, for tests that change one thing. */
final class Specimens {
    private Specimens() {}

    static WorkerPool pool(String name) {
        var pool = new WorkerPool();
        pool.setMetadata(new ObjectMetaBuilder().withName(name).build());
        pool.setSpec(WorkerPoolSpecBuilder.builder().template(template()).build());
        return pool;
    }

    static TaskSet taskSet(String name) {
        var set = new TaskSet();
        set.setMetadata(new ObjectMetaBuilder().withName(name).build());
        set.setSpec(TaskSetSpecBuilder.builder()
                .replicas(1)
                .workerPoolRef(new WorkerPoolRef("shared"))
                .source(TaskSource.ofCount(10))
                .task(TaskTemplate.ofCommand("true"))
                .build());
        return set;
    }

    static Task task(String name) {
        return task(name, TaskSpecBuilder.builder().task(TaskUnit.ofHandler("resize")));
    }

    static Task task(String name, TaskSpecBuilder spec) {
        var task = new Task();
        task.setMetadata(new ObjectMetaBuilder().withName(name).build());
        task.setSpec(spec.workerPoolRef(new WorkerPoolRef("shared")).build());
        return task;
    }

    static MapReduceJob mapReduceJob(String name) {
        var job = new MapReduceJob();
        job.setMetadata(new ObjectMetaBuilder().withName(name).build());
        job.setSpec(MapReduceJobSpecBuilder.builder()
                .workerPoolRef(new WorkerPoolRef("shared"))
                .map(MapReduceMap.ofHandler("split"))
                .process(MapReducePart.ofHandler("count"))
                .build());
        return job;
    }

    static PodTemplateSpec template() {
        return new PodTemplateSpecBuilder()
                .withNewSpec()
                .addNewContainer()
                .withName(WorkerPool.WORKER_CONTAINER)
                .withImage("quiver/demo:0.1.0")
                .endContainer()
                .endSpec()
                .build();
    }
}
