package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;

/** The first final error of a {@link Task}. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record TaskError(
        @JsonPropertyDescription(
                "Name of the node that failed, at most 128 characters; of a child made at run time with its number behind"
                        + " it.")
        @Size(max = 128)
        String node,

        @JsonPropertyDescription("Which of the node's trials failed, counted from 1.") @Min(1) @Max(1000)
        Integer trial,

        @JsonPropertyDescription(
                "Why it failed, in one word such as NonZeroExit, Exception, TimedOut, WorkerLost or ResultTooLarge.")
        @Size(min = 1, max = 64)
        @Pattern("^[A-Z][A-Za-z0-9]*$")
        String reason,

        @JsonPropertyDescription(
                "The exception's message, or the last lines that the program wrote to stderr: at most 512 characters.")
        @Size(max = 512)
        String message,

        @JsonPropertyDescription("The end of the exception's trace: at most 1024 characters.") @Size(max = 1024)
        String trace) {}
