package dev.quiver.crds.v1alpha1;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/** The program or function that runs each task of a set. */
@ValidationRule(
        value =
                "(has(self.command) ? self.command.map(c, size(c)).sum() : 0) + (has(self.args) ? self.args.map(a, size(a)).sum() : 0) + (has(self.env) ? self.env.map(e, size(e.name) + (has(e.value) ? size(e.value) : 0)).sum() : 0) <= 65536",
        message = "command, args and env must hold at most 65536 characters together")
@ValidationRule(
        value = "has(self.command) != has(self.handler)",
        message =
                "must have exactly one of command (a program for each task) and handler (a function of the pool's handler process)")
@ValidationRule(
        value = "!has(self.handler) || !has(self.args)",
        message = "must be absent with handler: a function takes no arguments; use input",
        fieldPath = ".args")
@ValidationRule(
        value = "!has(self.handler) || !has(self.workingDir)",
        message = "must be absent with handler: a function runs in the directory of its process",
        fieldPath = ".workingDir")
@ValidationRule(
        value = "!has(self.input) || has(self.handler)",
        message = "needs handler: a command takes args and env",
        fieldPath = ".input")
@ValidationRule(
        value = "!has(self.batch) || has(self.handler)",
        message = "needs handler: a command gets a process of its own",
        fieldPath = ".batch")
@ValidationRule(
        value = "!has(self.result) || !has(self.result.format) || self.result.format != 'JUnit' || has(self.command)",
        message = "JUnit needs command: a function returns its result and writes no report",
        fieldPath = ".result.format")
@Built
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record TaskTemplate(
        @JsonPropertyDescription(
                "The program and its first arguments, run in the worker container without a shell: 1 to 64 strings"
                        + " of at most 16384 characters, the first not empty. $(NAME) is replaced from the environment of the task."
                        + " Exactly one of command and handler is set.")
        @Size(min = 1, max = 64)
        @ValidationRule(value = Rules.IS_COMMAND, message = Rules.COMMAND)
        List<@Size(max = 16384) String> command,

        @JsonPropertyDescription(
                "Name of a function that the handler process of the pool serves: 1 to 128 bytes of UTF-8 without control"
                        + " characters. Exactly one of command and handler is set.")
        @Size(min = 1, max = 128)
        @ValidationRule(value = Rules.IS_HANDLER, message = Rules.HANDLER)
        String handler,

        @JsonPropertyDescription(
                "Arguments after the command: at most 64 strings of at most 16384 characters. An item's own"
                        + " arguments come after these.")
        @Size(max = 64)
        List<@Size(max = 16384) String> args,

        @JsonPropertyDescription(
                "Environment variables of every task, set after those of the container: at most 64. A handler finds"
                        + " them in the context of its task.")
        @Size(max = 64)
        List<EnvEntry> env,

        @JsonPropertyDescription("Input of the function. Only with handler.")
        TaskInput input,

        @JsonPropertyDescription(
                "Directory to run in: an absolute path of at most 4096 characters. Left out, it is that of the"
                        + " worker container.")
        @Size(min = 1, max = 4096)
        @ValidationRule(value = Rules.IS_ABSOLUTE, message = Rules.ABSOLUTE)
        String workingDir,

        @JsonPropertyDescription(
                "How long one trial of a task may take, in seconds from when a worker's slot got it: 1 to 604800 (a week)."
                        + " Then the trial is ended and counts as failed with reason TimedOut. A handler may ask for"
                        + " more while it runs, each time for at most as long again from then. Left out, there is no"
                        + " limit.")
        @Min(1)
        @Max(604_800)
        Integer activeDeadlineSeconds,

        @JsonPropertyDescription(
                "Limits of a trial that follow from how long its task usually takes, as the record of its class tells. A"
                        + " command gets TERM at its limit, and KILL after half as long again; a task that no run knows after"
                        + " 30 seconds. A handler may ask for more time. The trial counts as failed with reason TimedOut."
                        + " activeDeadlineSeconds is the upper bound. Needs taskSetClass. Left out, that alone is the limit.")
        TaskTimeouts timeouts,

        @JsonPropertyDescription(
                "How many tasks a slot may get at once: 1 to 64. The handler runs them one after the other, or together if"
                        + " its function takes several. Every task keeps its own trials, result and deadline. Left out,"
                        + " a slot gets as many as run for a millisecond together.")
        @Min(1)
        @Max(64)
        Integer batch,

        @JsonPropertyDescription("Results of the tasks, which the run's record may have: see spec.history.results.")
        TaskTemplateResult result) {
    public TaskTemplate {
        command = command == null ? List.of() : List.copyOf(command);
        args = args == null ? List.of() : List.copyOf(args);
        env = env == null ? List.of() : List.copyOf(env);
    }

    /** A program with its arguments, for each task. */
    public static TaskTemplate ofCommand(String... command) {
        return TaskTemplateBuilder.builder().command(List.of(command)).build();
    }

    /** A function of the pool's handler process. */
    public static TaskTemplate ofHandler(String handler) {
        return TaskTemplateBuilder.builder().handler(handler).build();
    }

    /** The function that runs each task; absent for a command. */
    public Optional<String> handlerName() {
        return Optional.ofNullable(handler);
    }

    /** The format that results are recorded in; absent where it is to be found out. */
    public Optional<TaskTemplateResult.Format> resultFormat() {
        return Optional.ofNullable(result).flatMap(TaskTemplateResult::named);
    }

    /** Whether a task writes a report, by which its end is judged. */
    public boolean reports() {
        return resultFormat().filter(TaskTemplateResult.Format.JUnit::equals).isPresent();
    }

    /** {@link #activeDeadlineSeconds} as a duration, where a trial has a limit. */
    public Optional<Duration> activeDeadline() {
        return Optional.ofNullable(activeDeadlineSeconds).map(Duration::ofSeconds);
    }
}
