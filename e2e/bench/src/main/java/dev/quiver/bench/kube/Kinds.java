package dev.quiver.bench.kube;

import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;

/** Our kinds for a client that knows none of our classes. */
public final class Kinds {

    /** TaskSets. */
    public static final ResourceDefinitionContext TASK_SETS = kind("TaskSet", "tasksets");

    /** WorkerPools. */
    public static final ResourceDefinitionContext POOLS = kind("WorkerPool", "workerpools");

    private Kinds() {}

    private static ResourceDefinitionContext kind(String name, String plural) {
        return new ResourceDefinitionContext.Builder()
                .withGroup("quiver.dev")
                .withVersion("v1alpha1")
                .withKind(name)
                .withPlural(plural)
                .withNamespaced(true)
                .build();
    }
}
