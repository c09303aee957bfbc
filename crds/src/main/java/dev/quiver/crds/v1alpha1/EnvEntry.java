package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/** One environment variable of a task. */
@ValidationRule(
        value = "!self.name.startsWith('QUIVER_')",
        message = "names that begin with QUIVER_ are reserved: choose another name",
        fieldPath = ".name")
public record EnvEntry(
        @JsonPropertyDescription(
                "Name of the variable: a letter or _, then letters, digits or _, at most 128 characters. Names"
                        + " that begin with QUIVER_ are reserved.")
        @Required
        @Size(min = 1, max = 128)
        @Pattern("^[A-Za-z_][A-Za-z0-9_]*$")
        String name,

        @JsonPropertyDescription(
                "Value of the variable, at most 16384 characters. $(NAME) is replaced from the environment of"
                        + " the task, $$(NAME) stays as $(NAME).")
        @Default("")
        @Size(max = 16384)
        String value) {
    public EnvEntry {
        value = value == null ? "" : value;
    }
}
