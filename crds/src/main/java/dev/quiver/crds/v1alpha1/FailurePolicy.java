package dev.quiver.crds.v1alpha1;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Size;

/** The meaning of failed trials and failed tasks for a {@link TaskSet}. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record FailurePolicy(
        @JsonPropertyDescription(
                "Whether the first failed task, its trials spent, ends the run with reason MaxFailedTasksExceeded, whatever"
                        + " maxFailedTasks has.")
        @Default("false")
        Boolean failFast,

        @JsonPropertyDescription(
                "What a failed trial means: at most 16 rules, of which the first one that matches decides. A trial without a"
                        + " rule counts. A run that is lost with its worker is no failed trial, and no rule sees it.")
        @Size(min = 1, max = 16)
        List<FailureRule> rules) {

    /** Every failed trial counts, and failed tasks end nothing early. */
    public static final FailurePolicy NONE = new FailurePolicy(null, null);

    public FailurePolicy {
        failFast = failFast != null && failFast;
        rules = rules == null ? List.of() : List.copyOf(rules);
    }
}
