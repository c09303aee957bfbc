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
 * The function or program that combines results of a {@link MapReduce}, {@code fanIn} at a time and in order. Reduce then
 * gets one result instead of all of them.
 */
@ValidationRule(
        value = "has(self.command) != has(self.handler)",
        message = "must have exactly one of command and handler")
@Built
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record MapReduceCombine(
        @JsonPropertyDescription(
                TaskRules.COMMAND_TEXT + TaskRules.PART_INPUT_TEXT + " Exactly one of command and handler is set.")
        @Size(min = 1, max = 64)
        @ValidationRule(value = Rules.IS_COMMAND, message = Rules.COMMAND)
        List<@Size(max = 16384) String> command,

        @JsonPropertyDescription(TaskRules.HANDLER_TEXT + " Exactly one of command and handler is set.")
        @Size(min = 1, max = 128)
        @ValidationRule(value = Rules.IS_HANDLER, message = Rules.HANDLER)
        String handler,

        @JsonPropertyDescription(TaskRules.PART_ARGS_TEXT) @Size(max = 64)
        List<JsonNode> args,

        @JsonPropertyDescription("How many results it takes at most: 2 to 256.") @Default("16") @Min(2) @Max(256)
        Integer fanIn,

        @JsonPropertyDescription(TaskRules.TRIALS_TEXT) @Min(1) @Max(100)
        Integer maxTrials,

        @JsonPropertyDescription(TaskRules.BACKOFF_TEXT) Backoff backoff,

        @JsonPropertyDescription(TaskRules.PART_DEADLINE_TEXT) @Min(1) @Max(604_800)
        Integer activeDeadlineSeconds)
        implements MapReduceStage {
    public MapReduceCombine {
        command = command == null ? List.of() : List.copyOf(command);
        args = args == null ? List.of() : List.copyOf(args);
        fanIn = fanIn == null ? 16 : fanIn;
    }

    /** A combine by a function. */
    public static MapReduceCombine ofHandler(String handler) {
        return MapReduceCombineBuilder.builder().handler(handler).build();
    }
}
