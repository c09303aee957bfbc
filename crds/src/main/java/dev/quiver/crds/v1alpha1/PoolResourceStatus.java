package dev.quiver.crds.v1alpha1;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;

/** A resource of a pool, as it is now. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record PoolResourceStatus(
        @JsonPropertyDescription("Its name, or a pattern.") @Size(max = SchedulingRules.NAME_LENGTH)
        String name,

        @JsonPropertyDescription("Whether Tasks that name it may run.")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        ResourceState state,

        @JsonPropertyDescription(
                "When it was closed first of those who have it closed, or the pool said that it is missing: RFC 3339, UTC. Not of"
                        + " one that is not declared.")
        @Pattern(Timestamps.PATTERN)
        @Size(max = 32)
        String since,

        @JsonPropertyDescription("Who closed it: one owner, or Undeclared, or the pool itself as spec.")
        @Size(max = SchedulingRules.NAME_LENGTH)
        String by,

        @JsonPropertyDescription("Tasks that wait for it, and for none that they name before it.") @Min(0)
        Long waiting,

        @JsonPropertyDescription("Its permits, where it has such a number.") @Min(1) @Max(10_000)
        Integer permits,

        @JsonPropertyDescription(
                "Permits that Tasks hold; more than there are after these were lowered. With perSeconds, starts in the present"
                        + " window.")
        @Min(0)
        Long used,

        @JsonPropertyDescription("Seconds of a window, where the permits are a rate.") @Min(1) @Max(86_400)
        Integer perSeconds,

        @JsonPropertyDescription(
                "Ids of Tasks in Redis that hold one, at most 4: of a resource its uid and the node's number.")
        @Size(max = MOST_HOLDERS)
        List<@Size(max = HOLDER_LENGTH) String> holders,

        @JsonPropertyDescription("Why its probe found it missing: at most 256 characters.") @Size(max = MESSAGE_LENGTH)
        String message) {

    /** Characters of a holder at most. */
    public static final int HOLDER_LENGTH = 128;

    /** Characters of a message at most. */
    public static final int MESSAGE_LENGTH = 256;

    /** How many holders are listed at most. */
    public static final int MOST_HOLDERS = 4;

    public PoolResourceStatus {
        holders = holders == null ? List.of() : List.copyOf(holders);
    }

    /** Stands for an owner where the pool does not declare the name. */
    public static final String UNDECLARED = "Undeclared";
}
