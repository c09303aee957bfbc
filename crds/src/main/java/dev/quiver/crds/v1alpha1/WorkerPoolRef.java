package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/** A shared {@link WorkerPool} of the same namespace. */
public record WorkerPoolRef(
        @JsonPropertyDescription("Name of a WorkerPool in the same namespace, at most 45 characters.")
        @Required
        @Size(min = 1, max = WorkerPool.MAX_NAME_LENGTH)
        @ValidationRule(
                value = "self" + Rules.IS_DNS_LABEL,
                message = "must be the name of a WorkerPool: a DNS label (" + Rules.DNS_LABEL
                        + ") of at most 45 characters")
        String name) {}
