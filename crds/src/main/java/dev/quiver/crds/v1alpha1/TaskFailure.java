package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** One failed trial, as a sample for people. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record TaskFailure(
        @JsonPropertyDescription("Name of the task, cut to 253 characters.") @Required @Size(max = 253)
        String task,

        @JsonPropertyDescription("Which of the task's trials failed, counted from 1.") @Min(1) @Max(1000)
        Integer trial,

        @JsonPropertyDescription("Exit code of the program, where it exited: 0 to 255.") @Min(0) @Max(255)
        Integer exitCode,

        @JsonPropertyDescription("Number of the signal that ended the program, where one did: 1 to 64.")
        @Min(1)
        @Max(64)
        Integer signal,

        @JsonPropertyDescription(
                "Why the trial failed, in one word such as NonZeroExit, Signalled, OOMKilled, CommandNotFound,"
                        + " Exception, HandlerDied, TimedOut or WorkerLost.")
        @Size(min = 1, max = 64)
        @Pattern("^[A-Z][A-Za-z0-9]*$")
        String reason,

        @JsonPropertyDescription(
                "The last lines that the program wrote to stderr, or why it did not start; of a function, its exception"
                        + " and the end of the traceback: at most 512 characters.")
        @Size(max = 512)
        String message) {

    /** Empty fields are not written. From the API server they come back as null, with the same meaning. */
    public TaskFailure {
        reason = reason == null ? "" : reason;
        message = message == null ? "" : message;
    }
}
