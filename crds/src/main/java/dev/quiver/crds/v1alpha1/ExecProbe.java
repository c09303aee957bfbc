package dev.quiver.crds.v1alpha1;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/** A function of the pool that tells whether a resource is there. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ExecProbe(
        @JsonPropertyDescription(TaskRules.HANDLER_TEXT)
        @Required
        @Size(min = 1, max = 128)
        @ValidationRule(value = Rules.IS_HANDLER, message = Rules.HANDLER)
        String handler,

        @JsonPropertyDescription("Its arguments: at most 16 of any JSON.") @Size(max = 16)
        List<JsonNode> args) {

    public ExecProbe {
        args = args == null ? List.of() : List.copyOf(args);
    }
}
