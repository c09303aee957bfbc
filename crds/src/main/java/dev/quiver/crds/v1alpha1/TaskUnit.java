package dev.quiver.crds.v1alpha1;

import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/** The one unit of work of a {@link Task} without nodes. */
@ValidationRule(
        value = "has(self.command) != has(self.handler)",
        message = "must have exactly one of command (a program) and handler (a function of the pool's handler process)")
@ValidationRule(
        value = "!has(self.workingDir) || has(self.command)",
        message = TaskRules.WORKING_DIR_NEEDS_COMMAND,
        fieldPath = ".workingDir")
@ValidationRule(value = TaskRules.IS_PLAN_OF_HANDLER, message = TaskRules.PLAN_NEEDS_HANDLER, fieldPath = ".plan")
@ValidationRule(
        value = TaskRules.IS_TIME_OF_PLAN,
        message = TaskRules.PLAN_SECONDS_NEED_PLAN,
        fieldPath = ".planSeconds")
@ValidationRule(
        value = TaskRules.IS_CONTINGENCY_OF_HANDLER,
        message = TaskRules.CONTINGENCY_NEEDS_HANDLER,
        fieldPath = ".contingency")
@ValidationRule(value = TaskRules.IS_REQUEST, message = TaskRules.REQUEST_NEEDS_PLAN, fieldPath = ".complexKey")
@ValidationRule(
        value = "!has(self.complexKey) || !has(self.contingency) || !self.contingency",
        message = "must be false or absent with complexKey: the markers of a complex task have their own",
        fieldPath = ".contingency")
@Built
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record TaskUnit(
        @JsonPropertyDescription(
                TaskRules.COMMAND_TEXT
                        + " It finds args as a JSON array in the file $QUIVER_INPUT. Exactly one of command and handler is set.")
        @Size(min = 1, max = 64)
        @ValidationRule(value = Rules.IS_COMMAND, message = Rules.COMMAND)
        List<@Size(max = 16384) String> command,

        @JsonPropertyDescription(
                TaskRules.HANDLER_TEXT + " It is called with args. Exactly one of command and handler is set.")
        @Size(min = 1, max = 128)
        @ValidationRule(value = Rules.IS_HANDLER, message = Rules.HANDLER)
        String handler,

        @JsonPropertyDescription("Arguments: at most 64, of a function any JSON, of a command texts.") @Size(max = 64)
        List<JsonNode> args,

        @JsonPropertyDescription(TaskRules.ENV_TEXT) @Size(max = 64)
        List<EnvEntry> env,

        @JsonPropertyDescription(TaskRules.WORKING_DIR_TEXT)
        @Size(min = 1, max = 4096)
        @ValidationRule(value = Rules.IS_ABSOLUTE, message = Rules.ABSOLUTE)
        String workingDir,

        @JsonPropertyDescription(TaskRules.TRIALS_TEXT) @Min(1) @Max(100)
        Integer maxTrials,

        @JsonPropertyDescription(TaskRules.BACKOFF_TEXT) Backoff backoff,

        @JsonPropertyDescription(
                "How long one trial may take, in seconds from when a worker's slot got it: 1 to 604800 (a week). Then it"
                        + " is ended and counts as failed with reason TimedOut. Left out, there is no limit.")
        @Min(1)
        @Max(604_800)
        Integer activeDeadlineSeconds,

        @JsonPropertyDescription(TaskRules.TOTAL_TEXT) @Min(1) @Max(1_000_000_000)
        Integer total,

        @JsonPropertyDescription(TaskRules.PLAN_TEXT) Boolean plan,

        @JsonPropertyDescription(TaskRules.PLAN_SECONDS_TEXT) @Min(1) @Max(60)
        Integer planSeconds,

        @JsonPropertyDescription(TaskRules.CONTINGENCY_TEXT) Boolean contingency,

        @JsonPropertyDescription(TaskRules.COMPLEX_KEY_TEXT) @Size(min = 1, max = 118) @Pattern("^[!-~]+$")
        String complexKey,

        @JsonPropertyDescription(TaskRules.ONCE_TEXT) TaskOnce once) {
    public TaskUnit {
        command = command == null ? List.of() : List.copyOf(command);
        args = args == null ? List.of() : List.copyOf(args);
        env = env == null ? List.of() : List.copyOf(env);
    }

    /** A program with its arguments. */
    public static TaskUnit ofCommand(String... command) {
        return TaskUnitBuilder.builder().command(List.of(command)).build();
    }

    /** A function of the pool's handler process. */
    public static TaskUnit ofHandler(String handler, JsonNode... args) {
        return TaskUnitBuilder.builder().handler(handler).args(List.of(args)).build();
    }

    /** The function that does the work; absent for a command. */
    public Optional<String> handlerName() {
        return Optional.ofNullable(handler);
    }

    /** The work as the only node of a tree. */
    public TaskNode asNode(String name) {
        return TaskNodeBuilder.builder()
                .name(name)
                .command(command)
                .handler(handler)
                .args(args)
                .env(env)
                .workingDir(workingDir)
                .maxTrials(maxTrials)
                .backoff(backoff)
                .activeDeadlineSeconds(activeDeadlineSeconds)
                .total(total)
                .plan(plan)
                .planSeconds(planSeconds)
                .contingency(contingency)
                .complexKey(complexKey)
                .once(once)
                .build();
    }
}
