package dev.quiver.crds.v1alpha1;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** A name that stands for several resources. */
public record ResourceAlias(
        @JsonPropertyDescription(
                "The name that Tasks use: 1 to 128 printable characters without blanks, or a pattern with a * behind a ! or :. Of"
                        + " several patterns the longest counts.")
        @Required
        @Size(min = 1, max = SchedulingRules.NAME_LENGTH)
        @Pattern(SchedulingRules.NAME)
        String name,

        @JsonPropertyDescription(
                "The resources in its place, the most severe first: 1 to 8. A * in them is what the Task's name has behind the"
                        + " pattern.")
        @Required
        @Size(min = 1, max = SchedulingRules.MOST_RESOURCES)
        List<@Size(min = 1, max = SchedulingRules.NAME_LENGTH) @Pattern(SchedulingRules.NAME) String> resources) {

    /** A name up to one of its {@code !} or {@code :}: no other place makes a pattern. */
    private static final java.util.regex.Pattern HEAD = java.util.regex.Pattern.compile(".+[!:]");

    /** Aliases of a pool at most. */
    static final int MOST = 16;

    public ResourceAlias {
        resources = resources == null ? List.of() : List.copyOf(resources);
    }

    /** The resources in the place of a name; empty where the alias is for other names. */
    public List<String> standFor(String resource) {
        if (resource.equals(name)) {
            return resources;
        }
        String head = name.endsWith("*") ? name.substring(0, name.length() - 1) : "";
        return HEAD.matcher(head).matches() && resource.startsWith(head)
                ? resources.stream()
                        .map(other -> other.replace("*", resource.substring(head.length())))
                        .toList()
                : List.of();
    }
}
