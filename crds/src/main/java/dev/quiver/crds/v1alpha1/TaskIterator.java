package dev.quiver.crds.v1alpha1;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/**
 * A function or program that is called again and again for more children, one call at a time. It serves work that is
 * not known at once. Each call gets the state that the last one returned.
 */
@ValidationRule(
        value = "has(self.command) != has(self.handler)",
        message = "must have exactly one of command and handler: what is called for more children")
@ValidationRule(
        value = "!has(self.workingDir) || has(self.command)",
        message = TaskRules.WORKING_DIR_NEEDS_COMMAND,
        fieldPath = ".workingDir")
@Built
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record TaskIterator(
        @JsonPropertyDescription(
                TaskRules.COMMAND_TEXT
                        + " It finds {state, created, finished, room, args} in the file $QUIVER_INPUT. Exactly one of command and handler is set.")
        @Size(min = 1, max = 64)
        @ValidationRule(value = Rules.IS_COMMAND, message = Rules.COMMAND)
        List<@Size(max = 16384) String> command,

        @JsonPropertyDescription(
                TaskRules.HANDLER_TEXT
                        + " It is called with {state, created, finished, room, args}. Exactly one of command and handler is set.")
        @Size(min = 1, max = 128)
        @ValidationRule(value = Rules.IS_HANDLER, message = Rules.HANDLER)
        String handler,

        @JsonPropertyDescription(TaskRules.ARGS_TEXT) @Size(max = 64)
        List<JsonNode> args,

        @JsonPropertyDescription(TaskRules.ENV_TEXT) @Size(max = 64)
        List<EnvEntry> env,

        @JsonPropertyDescription(TaskRules.WORKING_DIR_TEXT)
        @Size(min = 1, max = 4096)
        @ValidationRule(value = Rules.IS_ABSOLUTE, message = Rules.ABSOLUTE)
        String workingDir,

        @JsonPropertyDescription(
                "How many children may live at a time: 1 to 10000. It is called for more when at most half as many live.")
        @Default("1000")
        @Min(1)
        @Max(10_000)
        Integer window,

        @JsonPropertyDescription(
                "The longest time of one call in seconds. A call that is stopped by it counts as failed with reason TimedOut."
                        + " Left out, there is no limit.")
        @Min(1)
        @Max(604_800)
        Integer activeDeadlineSeconds) {
    public TaskIterator {
        command = command == null ? List.of() : List.copyOf(command);
        args = args == null ? List.of() : List.copyOf(args);
        env = env == null ? List.of() : List.copyOf(env);
        window = window == null ? 1000 : window;
    }

    /** An iterator by a function. */
    public static TaskIterator ofHandler(String handler, JsonNode... args) {
        return TaskIteratorBuilder.builder()
                .handler(handler)
                .args(List.of(args))
                .build();
    }

    /** {@link #activeDeadlineSeconds} as a duration, where there is a limit. */
    public Optional<Duration> deadlineOfCall() {
        return Optional.ofNullable(activeDeadlineSeconds).map(Duration::ofSeconds);
    }

    /** The function that is called; absent for a command. */
    public Optional<String> handlerName() {
        return Optional.ofNullable(handler);
    }
}
