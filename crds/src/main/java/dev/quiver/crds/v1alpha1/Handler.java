package dev.quiver.crds.v1alpha1;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/** A process that stays alive, one for each slot, and runs functions by their names. */
public record Handler(
        @JsonPropertyDescription(
                "The program and its arguments, started once for each slot in the worker container, without a shell: 1"
                        + " to 64 strings with at most 65536 characters together, the first not empty. It announces the names"
                        + " of the functions that it serves.")
        @Required
        @Size(min = 1, max = 64)
        @ValidationRule(value = Rules.IS_COMMAND, message = Rules.COMMAND)
        @ValidationRule(
                value = "self.map(c, size(c)).sum() <= 65536",
                message = "must hold at most 65536 characters in all strings together")
        List<@Size(max = 16384) String> command) {

    /** The longest name of a function, in bytes of UTF-8. */
    public static final int MAX_NAME_BYTES = 128;

    public Handler {
        command = command == null ? List.of() : List.copyOf(command);
    }
}
