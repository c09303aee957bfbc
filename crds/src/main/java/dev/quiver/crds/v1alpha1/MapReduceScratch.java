package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** A directory for results of a {@link MapReduce} that are too large for Redis. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record MapReduceScratch(
        @JsonPropertyDescription(
                "A directory of a volume that all workers of process and reduce mount, under the same path: absolute, of"
                        + " letters, digits, '.', '_' and '-', without a slash at its end.")
        @Required
        @Size(min = 2, max = 512)
        @Pattern("^(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$")
        String path) {}
