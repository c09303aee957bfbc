package dev.quiver.crds.v1alpha1;

import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;

/** Warm worker pods, each with a number of slots that run one task at a time. */
@ValidationRule(
        value = "oldSelf.hasValue() || (size(self.metadata.name) <= 45 && self.metadata.name" + Rules.IS_DNS_LABEL
                + ")",
        message = "metadata.name must be a DNS label (" + Rules.DNS_LABEL + ") of at most 45 characters",
        optionalOldSelf = true)
@Group(Quiver.GROUP)
@Version(Quiver.VERSION)
@Kind("WorkerPool")
@Plural("workerpools")
@Singular("workerpool")
@ShortNames("wpool")
@Categories(Quiver.CATEGORY)
public class WorkerPool extends CustomResource<WorkerPoolSpec, WorkerPoolStatus> implements Namespaced {
    private static final long serialVersionUID = 1L;

    /** The longest name of a pool: followed by hash and ordinal, the names of its pods stay within a DNS label. */
    public static final int MAX_NAME_LENGTH = 45;

    /** The container of the pod template that runs the tasks. */
    public static final String WORKER_CONTAINER = "worker";
}
