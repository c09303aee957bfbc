package dev.quiver.crds.v1alpha1;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/**
 * The function or program that makes the chunks of a {@link MapReduce}: all of them at once, or, as an iterator, in pages.
 */
@ValidationRule(
        value = "has(self.command) != has(self.handler)",
        message = "must have exactly one of command and handler")
@ValidationRule(
        value = "!has(self.paged) || !self.paged || has(self.handler)",
        message = "needs handler: a command writes all chunks, one a line",
        fieldPath = ".paged")
@Built
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record MapReduceMap(
        @JsonPropertyDescription(
                TaskRules.COMMAND_TEXT + TaskRules.PART_INPUT_TEXT + " Exactly one of command and handler is set.")
        @Size(min = 1, max = 64)
        @ValidationRule(value = Rules.IS_COMMAND, message = Rules.COMMAND)
        List<@Size(max = 16384) String> command,

        @JsonPropertyDescription(TaskRules.HANDLER_TEXT + " Exactly one of command and handler is set.")
        @Size(min = 1, max = 128)
        @ValidationRule(value = Rules.IS_HANDLER, message = Rules.HANDLER)
        String handler,

        @JsonPropertyDescription(
                "Whether the handler is an iterator that makes the chunks in pages: it is called again and again, and answers"
                        + " {state, chunks}, or null when there are no more. Trials and activeDeadlineSeconds are those of one"
                        + " call.")
        @Default("false")
        Boolean paged,

        @JsonPropertyDescription(TaskRules.PART_ARGS_TEXT) @Size(max = 64)
        List<JsonNode> args,

        @JsonPropertyDescription(
                "The WorkerPool that runs it, of the same keyspace as that of spec.workerPoolRef. Left out, it is"
                        + " spec.workerPoolRef.")
        WorkerPoolRef workerPoolRef,

        @JsonPropertyDescription(TaskRules.TRIALS_TEXT) @Min(1) @Max(100)
        Integer maxTrials,

        @JsonPropertyDescription(TaskRules.BACKOFF_TEXT) Backoff backoff,

        @JsonPropertyDescription(TaskRules.PART_DEADLINE_TEXT) @Min(1) @Max(604_800)
        Integer activeDeadlineSeconds)
        implements MapReduceWorker {
    public MapReduceMap {
        command = command == null ? List.of() : List.copyOf(command);
        args = args == null ? List.of() : List.copyOf(args);
        paged = paged != null && paged;
    }

    /** A map that is a function. */
    public static MapReduceMap ofHandler(String handler) {
        return MapReduceMapBuilder.builder().handler(handler).build();
    }
}
