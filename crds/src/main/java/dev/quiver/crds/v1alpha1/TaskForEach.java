package dev.quiver.crds.v1alpha1;

import java.util.OptionalInt;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/**
 * A group whose children are made when it is activated, one for each element of the result before it.
 *
 * @param template the name of the node that each child is made from; {@code do} in the resource
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record TaskForEach(
        @JsonProperty("do")
        @JsonPropertyDescription(
                "Name of the node that is run for each element of the result before this node, at most 63 characters. The"
                        + " element is its last argument. The result may have at most 10000 elements.")
        @Required
        @Size(min = 1, max = TaskNode.MAX_NAME_LENGTH)
        @Pattern(TaskNode.NAME)
        String template,

        @JsonPropertyDescription("How many children may live at a time: 1 to 10000. Left out, all of them.")
        @Min(1)
        @Max(10_000)
        Integer window) {

    /** The longest result that can be run through. */
    public static final int MAX_ELEMENTS = 10_000;

    /** How many children may live at a time, where that is limited. */
    public OptionalInt childrenAtOnce() {
        return window == null ? OptionalInt.empty() : OptionalInt.of(window);
    }
}
