package dev.quiver.crds.v1alpha1;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/** What each task of a set runs. */
@ValidationRule(
        value =
                "(has(self.command) ? self.command.map(c, size(c)).sum() : 0) + (has(self.args) ? self.args.map(a, size(a)).sum() : 0) + (has(self.env) ? self.env.map(e, size(e.name) + (has(e.value) ? size(e.value) : 0)).sum() : 0) <= 65536",
        message = "command, args and env must hold at most 65536 characters together")
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record TaskTemplate(
        @JsonPropertyDescription(
                "The program and its first arguments, run in the worker container without a shell: 1 to 64 strings"
                        + " of at most 16384 characters, the first not empty. $(NAME) is replaced from the environment of the task.")
        @Required
        @Size(min = 1, max = 64)
        @ValidationRule(
                value = "size(self) == 0 || size(self[0]) > 0",
                message = "must begin with the program to run: its first string may not be empty")
        List<@Size(max = 16384) String> command,

        @JsonPropertyDescription(
                "Arguments after the command: at most 64 strings of at most 16384 characters. An item's own"
                        + " arguments come after these.")
        @Size(max = 64)
        List<@Size(max = 16384) String> args,

        @JsonPropertyDescription("Environment variables of every task, set after those of the container: at most 64.")
        @Size(max = 64)
        List<EnvEntry> env,

        @JsonPropertyDescription(
                "Directory to run in: an absolute path of at most 4096 characters. Left out, it is that of the"
                        + " worker container.")
        @Size(min = 1, max = 4096)
        @ValidationRule(value = "self.startsWith('/')", message = "must be an absolute path: it begins with /")
        String workingDir) {
    public TaskTemplate {
        command = command == null ? List.of() : List.copyOf(command);
        args = args == null ? List.of() : List.copyOf(args);
        env = env == null ? List.of() : List.copyOf(env);
    }
}
