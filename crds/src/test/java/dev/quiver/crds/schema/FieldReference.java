package dev.quiver.crds.schema;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;

/** Makes the page of a kind's fields from its definition: type, bounds, default, whether it can be changed, meaning. */
final class FieldReference {

    /** Kubernetes' own types: they have a page of their own there. */
    private static final Map<String, String> UPSTREAM =
            Map.of("template", "PodTemplateSpec of Kubernetes", "resources", "ResourceRequirements of Kubernetes");

    private static final Pattern FIELD = Pattern.compile("\\bself\\.(\\w+)");
    private static final Set<String> NOT_WRITTEN = Set.of("null", "");
    private static final YAMLMapper YAML = new YAMLMapper();

    private final String kind;
    private final JsonNode schema;
    private final Map<String, List<String>> words = new LinkedHashMap<>(); // of rules, by the field that they are about
    private final StringBuilder page = new StringBuilder();

    private FieldReference(String kind, JsonNode schema) {
        this.kind = kind;
        this.schema = schema;
    }

    /** The page of a kind. */
    static String of(CrdYaml.Kind kind) {
        try {
            JsonNode schema = YAML.readTree(kind.yaml()).at("/spec/versions/0/schema/openAPIV3Schema");
            return new FieldReference(kind.name(), schema).write();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where the page of a kind is, seen from this module's folder. */
    static Path file(CrdYaml.Kind kind) {
        return Path.of("guide", kind.name().toLowerCase(Locale.ROOT) + "-fields.md");
    }

    private String write() {
        page.append("# Fields of a %s%n%n".formatted(kind));
        page.append("This page is made from the definition of the resource. The [guide](%s.md) has the examples.%n"
                .formatted(kind.toLowerCase(Locale.ROOT)));
        page.append("`kubectl explain %s.spec` shows the same on a cluster.%n%n"
                .formatted(kind.equals("Task") ? "qtask" : kind.toLowerCase(Locale.ROOT)));
        page.append("## spec\n\n");
        page.append("| Field | Type and bounds | Default | Can be changed | Meaning |\n");
        page.append("| --- | --- | --- | --- | --- |\n");
        JsonNode spec = schema.at("/properties/spec");
        Map<String, String> changes = changes(spec);
        collectWords(spec, "");
        walk(spec, "", (path, field, required) -> {
            String top = path.replaceAll("[.\\[].*", "");
            row(path, type(path, field, required), byDefault(field), changes.getOrDefault(top, "yes"), meaning(field));
        });
        page.append("\n## status\n\n");
        page.append("The operator writes these fields.\n\n");
        page.append("| Field | Type and bounds | Meaning |\n");
        page.append("| --- | --- | --- |\n");
        walk(
                schema.at("/properties/status"),
                "",
                (path, field, required) -> row(path, type("status." + path, field, false), meaning(field)));
        return page.toString();
    }

    /** The words that the rules of the whole spec, and of its fields, have for changes: by the name of the field. */
    private static Map<String, String> changes(JsonNode spec) {
        Map<String, String> all = new LinkedHashMap<>();
        for (JsonNode rule : spec.path("x-kubernetes-validations")) {
            String text = rule.path("rule").asText().replace("has(self.schedule) || ", "");
            String change = change(rule.path("message").asText());
            if (!change.isEmpty()) {
                FIELD.matcher(text).results().forEach(field -> all.putIfAbsent(field.group(1), change));
            }
        }
        spec.path("properties").properties().forEach(field -> {
            for (JsonNode rule : field.getValue().path("x-kubernetes-validations")) {
                String change = change(rule.path("message").asText());
                if (!change.isEmpty()) {
                    all.put(field.getKey(), change);
                }
            }
        });
        return all;
    }

    private static String change(String message) {
        if (message.startsWith("cannot be changed without schedule")) {
            return "with `schedule`";
        }
        if (message.startsWith("cannot be changed") || message.startsWith("cannot be added, changed")) {
            return "no";
        }
        if (message.startsWith("cannot be added or removed")) {
            return "its fields";
        }
        return message.startsWith("cannot be taken back") ? "to true" : "";
    }

    /** The rules that hold for a value alone, each with the field that its path names. */
    private void collectWords(JsonNode object, String path) {
        for (JsonNode rule : object.path("x-kubernetes-validations")) {
            String message = rule.path("message").asText();
            boolean onCreation = rule.path("optionalOldSelf").asBoolean();
            if (change(message).isEmpty()
                    && (onCreation || !rule.path("rule").asText().contains("oldSelf"))) {
                String field = (path + rule.path("fieldPath").asText()).replaceFirst("^\\.", "");
                words.computeIfAbsent(field, unused -> new ArrayList<>()).add(message);
            }
        }
        object.path("properties").properties().forEach(property -> {
            JsonNode field = property.getValue();
            if (!isUpstream(property.getKey(), field)) {
                String here = (path.isEmpty() ? "" : path + ".") + property.getKey();
                collectWords(field, here);
                if (field.has("items")) {
                    collectWords(field.get("items"), here + "[]");
                }
            }
        });
    }

    private interface Visitor {
        void visit(String path, JsonNode field, boolean required);
    }

    private static void walk(JsonNode object, String path, Visitor visitor) {
        Set<String> required = texts(object.path("required")).stream().collect(Collectors.toSet());
        object.path("properties").properties().forEach(property -> {
            String here = path + property.getKey();
            JsonNode field = property.getValue();
            visitor.visit(here, field, required.contains(property.getKey()));
            if (!isUpstream(property.getKey(), field)) {
                JsonNode elements = field.path("items");
                walk(
                        elements.isMissingNode() ? field : elements,
                        here + (elements.isMissingNode() ? "." : "[]."),
                        visitor);
            }
        });
    }

    private static boolean isUpstream(String name, JsonNode field) {
        return UPSTREAM.containsKey(name) && field.path("type").asText().equals("object");
    }

    private static List<String> texts(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(JsonNode::asText)
                .toList();
    }

    private String type(String path, JsonNode field, boolean required) {
        String name = path.substring(path.lastIndexOf('.') + 1);
        if (isUpstream(name, field)) {
            return UPSTREAM.get(name) + (required ? "; **required**" : "");
        }
        List<String> parts = new ArrayList<>();
        parts.add(name(field));
        parts.addAll(bounds(field));
        if (field.has("items")) {
            JsonNode elements = field.get("items");
            if (!elements.has("properties")) {
                bounds(elements).forEach(bound -> parts.add("each " + bound));
            }
        }
        parts.addAll(words.getOrDefault(path, List.of()));
        if (required) {
            parts.add("**required**");
        }
        return String.join("; ", parts);
    }

    private static String name(JsonNode field) {
        if (field.path("x-kubernetes-int-or-string").asBoolean()) {
            return "quantity or number";
        }
        if (field.path("x-kubernetes-preserve-unknown-fields").asBoolean()) {
            return "any JSON";
        }
        return switch (field.path("type").asText()) {
            case "array" -> "list of " + plural(field.get("items"));
            case "object" -> field.has("additionalProperties") ? "map of texts" : "object";
            case "string" -> field.path("format").asText().equals("date-time") ? "time" : "text";
            default -> field.path("type").asText();
        };
    }

    private static String plural(JsonNode elements) {
        String one = name(elements);
        return one.equals("any JSON") ? "any JSON" : one + "s";
    }

    private static List<String> bounds(JsonNode field) {
        List<String> all = new ArrayList<>();
        if (field.has("enum")) {
            all.add(texts(field.get("enum")).stream()
                    .filter(value -> !NOT_WRITTEN.contains(value))
                    .map(value -> "`" + value + "`")
                    .collect(Collectors.joining(", ")));
        }
        range(field, "minimum", "maximum", "").ifPresent(all::add);
        if (!field.has("enum")) {
            range(field, "minLength", "maxLength", " characters").ifPresent(all::add);
        }
        range(field, "minItems", "maxItems", " entries").ifPresent(all::add);
        range(field, "minProperties", "maxProperties", " entries").ifPresent(all::add);
        if (field.has("pattern")) {
            all.add("`" + field.get("pattern").asText() + "`");
        }
        return all;
    }

    private static Optional<String> range(JsonNode field, String least, String most, String unit) {
        if (field.has(least) && field.has(most)) {
            return Optional.of(number(field.get(least)) + " to " + number(field.get(most)) + unit);
        }
        if (field.has(most)) {
            return Optional.of("at most " + number(field.get(most)) + unit);
        }
        return field.has(least) ? Optional.of("at least " + number(field.get(least)) + unit) : Optional.empty();
    }

    private static String number(JsonNode value) {
        return value.decimalValue().stripTrailingZeros().toPlainString();
    }

    private static String byDefault(JsonNode field) {
        String value = field.path("default").toString().replace("\"", "");
        return value.isEmpty() || value.startsWith("{") ? "" : "`" + value + "`";
    }

    private static String meaning(JsonNode field) {
        return field.path("description").asText();
    }

    private void row(String path, String... cells) {
        page.append("| `").append(path).append("` | ");
        for (String cell : cells) {
            page.append(cell.replace("\n", " ").replace("|", "\\|").replace("<", "&lt;"))
                    .append(" | ");
        }
        page.setLength(page.length() - 1);
        page.append('\n');
    }
}
