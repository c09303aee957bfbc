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

/** A set of independent tasks, each run as trials until it passes or its trials are spent. */
@ValidationRule(
        value = "oldSelf.hasValue() || (size(self.metadata.name) <= 40 && self.metadata.name" + Rules.IS_DNS_LABEL
                + ")",
        message = "metadata.name must be a DNS label (" + Rules.DNS_LABEL + ") of at most 40 characters",
        optionalOldSelf = true)
@ValidationRule(
        value = "oldSelf.hasValue() || !has(self.spec.schedule) || size(self.metadata.name) <= 31",
        message = "metadata.name must have at most 31 characters with spec.schedule: its runs are named after it",
        optionalOldSelf = true)
@ValidationRule(
        value = "!has(self.spec.onlyFailedOf) || self.spec.onlyFailedOf != self.metadata.name",
        message = "spec.onlyFailedOf must name another TaskSet")
@Group(Quiver.GROUP)
@Version(Quiver.VERSION)
@Kind("TaskSet")
@Plural("tasksets")
@Singular("taskset")
@ShortNames("tset")
@Categories(Quiver.CATEGORY)
public class TaskSet extends CustomResource<TaskSetSpec, TaskSetStatus> implements Namespaced {
    private static final long serialVersionUID = 1L;

    /** The prefix of a TaskSet's name in the name of its own pool. */
    public static final String OWN_POOL_PREFIX = "tset-";

    /** The longest name of a TaskSet: the name of its own pool must be the name of a {@link WorkerPool}. */
    public static final int MAX_NAME_LENGTH = WorkerPool.MAX_NAME_LENGTH - OWN_POOL_PREFIX.length();

    /** The longest name of a TaskSet with a schedule: a run of it has that name, a - and the minute at which it was due. */
    public static final int MAX_SCHEDULED_NAME_LENGTH = 31;

    /** The pool that runs the tasks: the one that the spec refers to, or the run's own, {@code tset-<name>}. */
    public String poolName() {
        var reference = getSpec().workerPoolRef();
        return reference == null ? OWN_POOL_PREFIX + getMetadata().getName() : reference.name();
    }
}
