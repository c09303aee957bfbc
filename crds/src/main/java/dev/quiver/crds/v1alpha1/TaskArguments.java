package dev.quiver.crds.v1alpha1;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;

/** The arguments of a node or of its iterator. Their items may be of any type, so that no rule of the schema sees them. */
final class TaskArguments {
    /** The longest argument of a command, in characters, as in its command. */
    static final int MAX_TEXT = 16_384;

    private final TaskNode node;
    private final boolean iterates;

    TaskArguments(TaskNode node) {
        this.node = node;
        this.iterates = node.iterator() != null;
    }

    /** The fault in the arguments by themselves. */
    Optional<String> fault() {
        boolean takesArguments = !node.command().isEmpty() || node.handler() != null;
        if (!takesArguments && !node.args().isEmpty()) {
            return Optional.of(iterates ? "its args belong into iterator.args" : "args need command or handler");
        }
        boolean texts = iterates
                ? !node.iterator().command().isEmpty()
                : !node.command().isEmpty();
        if (!texts) {
            return Optional.empty();
        }
        return textFault(iterates ? "iterator.args" : "args", all());
    }

    /** The reason why the arguments in a field cannot be those of a command; empty if they can. */
    static Optional<String> textFault(String field, List<JsonNode> arguments) {
        for (int i = 0; i < arguments.size(); i++) {
            var argument = arguments.get(i);
            var name = field + "[" + i + "]";
            if (!argument.isTextual()) {
                return Optional.of("its " + name + " is " + kind(argument) + ", and a command takes texts");
            }
            if (argument.textValue().length() > MAX_TEXT) {
                return Optional.of(
                        "its " + name + " has " + argument.textValue().length() + " characters, and " + MAX_TEXT
                                + " are allowed with a command");
            }
        }
        return Optional.empty();
    }

    /** The results that they ask for, in their order. */
    List<ResultReference> references() {
        return all().stream().map(ResultReference::in).flatMap(Optional::stream).toList();
    }

    private List<JsonNode> all() {
        return iterates ? node.iterator().args() : node.args();
    }

    private static String kind(JsonNode argument) {
        var type = argument.getNodeType().name().toLowerCase(Locale.ROOT);
        return switch (argument.getNodeType()) {
            case NULL -> type;
            case ARRAY, OBJECT -> "an " + type;
            default -> "a " + type;
        };
    }
}
