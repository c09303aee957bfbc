package dev.quiver.crds.v1alpha1;

import java.util.Optional;
import java.util.regex.Pattern;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * An argument that stands for the result of another node: the whole text is {@code $(results.NAME)}. A text that only
 * contains this, or begins with {@code $$}, stays as it is.
 *
 * @param node the name of the node
 */
public record ResultReference(String node) {
    private static final Pattern FORM = Pattern.compile("\\$\\(results\\.([^()]*)\\)");

    /** The reference that an argument is, if it is one. */
    public static Optional<ResultReference> in(JsonNode argument) {
        if (!argument.isTextual()) {
            return Optional.empty();
        }
        var form = FORM.matcher(argument.textValue());
        return form.matches() ? Optional.of(new ResultReference(form.group(1))) : Optional.empty();
    }
}
