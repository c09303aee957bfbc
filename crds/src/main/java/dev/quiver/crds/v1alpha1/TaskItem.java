package dev.quiver.crds.v1alpha1;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** One task of a list: its name and its additions to the common {@link TaskTemplate}. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record TaskItem(
        @JsonPropertyDescription(
                "Name of the task, at most 253 characters. It is shown in failures and logs and set as QUIVER_TASK."
                        + " Two tasks of one name end the run as SourceInvalid.")
        @Required
        @Size(min = 1, max = 253)
        String name,

        @JsonPropertyDescription(
                "Arguments appended to those of spec.task: at most 64, each at most 16384 characters. None with"
                        + " spec.task.handler.")
        @Size(max = 64)
        List<@Size(max = 16384) String> args,

        @JsonPropertyDescription("Environment variables of this task alone, set after those of spec.task: at most 64.")
        @Size(max = 64)
        List<EnvEntry> env,

        @JsonPropertyDescription(
                "Input of the function for this task, instead of spec.task.input. Two JSON objects become one; a key"
                        + " of this one replaces the other. Only with spec.task.handler.")
        TaskInput input,

        @JsonPropertyDescription(
                "Whether a failure of this task is none: it runs, and its first failed trial ends it as pending, which counts as"
                        + " passed.")
        @Default("false")
        Boolean muted) {
    public TaskItem {
        muted = muted != null && muted;
        args = args == null ? List.of() : List.copyOf(args);
        env = env == null ? List.of() : List.copyOf(env);
    }

    /** A task without an input of its own. */
    public TaskItem(String name, List<String> args, List<EnvEntry> env) {
        this(name, args, env, null);
    }

    /** A task whose failures count. */
    public TaskItem(String name, List<String> args, List<EnvEntry> env, TaskInput input) {
        this(name, args, env, input, null);
    }
}
