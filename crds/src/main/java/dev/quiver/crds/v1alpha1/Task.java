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

/**
 * One unit of work, or a tree of nodes, run once or by a schedule. Its plural is {@code qtasks}: a second resource named
 * {@code tasks} would take {@code kubectl get task} away from Tekton.
 */
@ValidationRule(
        value = "oldSelf.hasValue() || (size(self.metadata.name) <= 63 && self.metadata.name" + Rules.IS_DNS_LABEL
                + ")",
        message = "metadata.name must be a DNS label (" + Rules.DNS_LABEL + ") of at most 63 characters",
        optionalOldSelf = true)
@ValidationRule(
        value = "oldSelf.hasValue() || !has(self.spec.undoOf) || self.spec.undoOf != self.metadata.name",
        message = "must be the name of another Task",
        optionalOldSelf = true,
        fieldPath = ".spec.undoOf")
@Group(Quiver.GROUP)
@Version(Quiver.VERSION)
@Kind("Task")
@Plural("qtasks")
@Singular("qtask")
@ShortNames("qtask")
@Categories(Quiver.CATEGORY)
public class Task extends CustomResource<TaskSpec, TaskStatus> implements Namespaced {
    private static final long serialVersionUID = 1L;

    /** The longest name of a Task: it must be a value of a label. */
    public static final int MAX_NAME_LENGTH = 63;
}
