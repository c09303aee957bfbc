package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/**
 * A name that one task of a keyspace has at a time, whether a {@link Task} or a program brought it. The schema has no
 * default for {@link #until}, which {@link #untilOrDefault} knows.
 */
@ValidationRule(
        value = "!has(self.replace) || !self.replace || has(self.until) && self.until == 'Start'",
        message = "must be false or absent unless until is Start: only a task that waits can be replaced",
        fieldPath = ".replace")
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record TaskOnce(
        @JsonPropertyDescription(
                "The name: 1 to 253 characters without control characters. Programs of the keyspace share it, as once of their"
                        + " clients.")
        @Required
        @Size(min = 1, max = TaskOnce.MAX_NAME_LENGTH)
        @Pattern(TaskOnce.NAME)
        String name,

        @JsonPropertyDescription(
                "How long it keeps others away. End: until the Task has ended. Start: while its task waits for a worker, also"
                        + " before another trial; only of one task without chain, group, forEach, iterator, mapReduce and finally."
                        + " Left out, End.")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_AS_NULL)
        TaskOnceUntil until,

        @JsonPropertyDescription(
                "Whether the Task takes the place of one of the name that waits, which ends with reason Replaced. Left out, it"
                        + " ends itself, with reason AlreadyQueued. Only with until: Start.")
        Boolean replace) {

    /** The longest name. */
    public static final int MAX_NAME_LENGTH = 253;

    /** The form of a name. */
    static final String NAME = "^[^\\x00-\\x1f\\x7f-\\x9f]+$";

    /** How long the name keeps others away. */
    public TaskOnceUntil untilOrDefault() {
        return until == null ? TaskOnceUntil.End : until;
    }

    /** Whether it takes the place of one that waits. */
    public boolean replaces() {
        return Boolean.TRUE.equals(replace);
    }
}
