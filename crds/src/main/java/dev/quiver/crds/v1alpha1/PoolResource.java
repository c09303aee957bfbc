package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** A resource, or a pattern of resources, that Tasks of a pool may name. */
public record PoolResource(
        @JsonPropertyDescription(
                "Its name: 1 to 128 printable characters without blanks. With a * behind the first ! or : it declares all"
                        + " names that begin so, such as tenant!*.")
        @Required
        @Size(min = 1, max = SchedulingRules.NAME_LENGTH)
        @Pattern(SchedulingRules.NAME)
        String name,

        @JsonPropertyDescription(
                "Whether it is there before anybody closes or opens it. Missing holds its Tasks until a program opens it for"
                        + " all owners. A change counts at once.")
        @Default("Available")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        ResourceState initially) {

    /** Resources of a pool at most. */
    static final int MOST = 64;

    public PoolResource {
        initially = initially == null ? ResourceState.Available : initially;
    }
}
