package dev.quiver.e2e.quiver;

import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;

import dev.quiver.crds.v1alpha1.Slots;
import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.crds.v1alpha1.TaskSetSpecBuilder;
import dev.quiver.crds.v1alpha1.TaskSource;
import dev.quiver.crds.v1alpha1.TaskTemplate;
import dev.quiver.crds.v1alpha1.WorkerPoolRef;
import dev.quiver.crds.v1alpha1.WorkerTemplate;

/** Writes a TaskSet in a line: a shell script, run so many times, on workers of its own or of a pool. */
public final class Tasks {

    private final String name;
    private final TaskSetSpecBuilder spec;
    private int slots = 2;
    private int drainSeconds = 20;
    private PodTemplateSpec template = podOf("quiver/demo:0.1.0");

    private Tasks(String name, TaskTemplate task) {
        this.name = name;
        this.spec = TaskSetSpecBuilder.builder()
                .replicas(1)
                .source(TaskSource.ofCount(1))
                .task(task)
                .maxTrials(1);
    }

    /** Tasks that run this script with {@code sh -c}: one, once, on one worker with two slots, if nothing else is said. */
    public static Tasks shell(String name, String script) {
        return command(name, "sh", "-c", script);
    }

    /** Tasks that run this command. */
    public static Tasks command(String name, String... words) {
        return new Tasks(name, TaskTemplate.ofCommand(words));
    }

    /** How many tasks. */
    public Tasks count(int tasks) {
        return with(it -> it.source(TaskSource.ofCount(tasks)));
    }

    /** Workers of its own: pods, and tasks at a time in each. */
    public Tasks workers(int pods, int slotsOfEach) {
        slots = slotsOfEach;
        return with(it -> it.replicas(pods));
    }

    /** How long its own workers let running tasks go on when they are to leave, instead of 20 s. */
    public Tasks drainSeconds(int seconds) {
        drainSeconds = seconds;
        return this;
    }

    /** The image of its own workers. */
    public Tasks image(String image) {
        template = podOf(image);
        return this;
    }

    /** The pods of its own workers. */
    public Tasks pods(UnaryOperator<PodTemplateSpecBuilder> change) {
        template = change.apply(new PodTemplateSpecBuilder(template)).build();
        return this;
    }

    /** Workers of a pool, so many pods of it at most. */
    public Tasks on(Pool pool, int pods) {
        template = null;
        return with(it -> it.replicas(pods).workerPoolRef(new WorkerPoolRef(pool.name())));
    }

    /** How often a task is tried. */
    public Tasks trials(int trials) {
        return with(it -> it.maxTrials(trials));
    }

    /** Anything else of the spec. */
    public Tasks with(UnaryOperator<TaskSetSpecBuilder> change) {
        change.apply(spec);
        return this;
    }

    TaskSet build() {
        TaskSet set = new TaskSet();
        set.setMetadata(new ObjectMetaBuilder().withName(name).build());
        if (template != null) {
            spec.workerTemplate(new WorkerTemplate(new Slots(slots, null, null), template, null, null, drainSeconds));
        }
        set.setSpec(spec.build());
        return set;
    }

    private static PodTemplateSpec podOf(String image) {
        return new PodTemplateSpecBuilder()
                .withNewSpec()
                .withNewSecurityContext()
                .withRunAsNonRoot(true)
                .endSecurityContext()
                .withContainers(new ContainerBuilder()
                        .withName("worker")
                        .withImage(image)
                        .withImagePullPolicy("IfNotPresent")
                        .build())
                .endSpec()
                .build();
    }
}
