package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/** A key of a ConfigMap whose text is an input. */
public record ConfigMapKeyRef(
        @JsonPropertyDescription("Name of a ConfigMap in the same namespace, at most 253 characters.")
        @Required
        @Size(min = 1, max = 253)
        @ValidationRule(
                value = "self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",
                message =
                        "must be the name of a ConfigMap: lower-case letters, digits, - and ., first and last a letter or digit")
        String name,

        @JsonPropertyDescription(
                "Key in the data of the ConfigMap: letters, digits, '-', '_' and '.', at most 253 characters.")
        @Required
        @Size(min = 1, max = 253)
        @ValidationRule(
                value = "self.matches('^[-._a-zA-Z0-9]+$')",
                message = "must be a key of a ConfigMap: letters, digits, -, _ and . such as tasks.txt")
        String key) {}
