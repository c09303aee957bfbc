package dev.quiver.crds.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Walks the committed YAML: what a person may write is described and bounded, everywhere. */
class CrdFieldsTest {
    /** Kubernetes' own types: described and bounded by Kubernetes. */
    private static final Set<String> UPSTREAM = Set.of("template", "resources");

    /** {@code kubectl apply} keeps a copy of the object in an annotation of at most this size. */
    private static final int ANNOTATION_BYTES = 256 * 1024;

    private static final Map<String, String> SHORT_NAMES =
            Map.of("TaskSet", "tset", "WorkerPool", "wpool", "Task", "qtask", "MapReduceJob", "mrj");

    static Stream<Path> definitions() {
        return CrdYaml.KINDS.stream().map(CrdYaml.Kind::file);
    }

    @ParameterizedTest
    @MethodSource("definitions")
    void everyFieldIsDescribed(Path file) throws IOException {
        var softly = new SoftAssertions();
        walk("", schema(file), (path, field) -> {
            var description = field.path("description").asText();
            softly.assertThat(description).as("description of %s", path).hasSizeGreaterThan(15);
            softly.assertThat(description).as("description of %s", path).endsWith(".");
        });
        softly.assertAll();
    }

    @ParameterizedTest
    @MethodSource("definitions")
    void everyFieldIsBounded(Path file) throws IOException {
        var softly = new SoftAssertions();
        walk("", schema(file), (path, field) -> {
            softly.assertThat(isBounded(field))
                    .as("%s is bounded: %s", path, field)
                    .isTrue();
            if (field.has("items") && !field.get("items").has("properties")) {
                softly.assertThat(isBounded(field.get("items")))
                        .as("elements of %s are bounded", path)
                        .isTrue();
            }
        });
        softly.assertAll();
    }

    @ParameterizedTest
    @MethodSource("definitions")
    void everyListSaysHowItIsMerged(Path file) throws IOException {
        var softly = new SoftAssertions();
        walk("", schema(file), (path, field) -> {
            if (field.path("type").asText().equals("array")) {
                softly.assertThat(field.path("x-kubernetes-list-type").asText())
                        .as("list type of %s", path)
                        .isIn("map", "atomic");
            }
        });
        softly.assertAll();
        var conditions = schema(file).at("/properties/status/properties/conditions");
        assertThat(conditions.path("x-kubernetes-list-type").asText()).isEqualTo("map");
        assertThat(conditions.at("/x-kubernetes-list-map-keys/0").asText()).isEqualTo("type");
    }

    @ParameterizedTest
    @MethodSource("definitions")
    void everyRuleHasWords(Path file) throws IOException {
        for (var rules : schema(file).findValues("x-kubernetes-validations")) {
            for (var rule : rules) {
                assertThat(rule.path("message").asText())
                        .as("message of %s", rule)
                        .isNotBlank()
                        .doesNotEndWith(".");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("definitions")
    void aPersonFindsItByShortNameAndCategory(Path file) throws IOException {
        var names = YAML.readTree(file.toFile()).at("/spec/names");
        assertThat(names.at("/categories/0").asText()).isEqualTo("quiver");
        assertThat(names.at("/shortNames/0").asText())
                .isEqualTo(SHORT_NAMES.get(names.at("/kind").asText()));
    }

    @ParameterizedTest
    @MethodSource("definitions")
    void podTemplateComesWithoutUpstreamsWords(Path file) throws IOException {
        for (var template : schema(file).findValues("template")) {
            for (var part : List.of("/properties/spec", "/properties/metadata")) {
                assertThat(template.at(part).findValues("description").stream().filter(JsonNode::isTextual))
                        .isEmpty();
            }
        }
        assertThat(Files.size(file)).isLessThan(ANNOTATION_BYTES);
    }

    private static final YAMLMapper YAML = new YAMLMapper();

    private static JsonNode schema(Path file) throws IOException {
        return YAML.readTree(file.toFile()).at("/spec/versions/0/schema/openAPIV3Schema");
    }

    private static boolean isBounded(JsonNode field) {
        if (field.path("x-kubernetes-int-or-string").asBoolean()) {
            return field.has("maxLength");
        }
        if (field.path("x-kubernetes-preserve-unknown-fields").asBoolean()) {
            // Of any type: its bound is only in words, and tested when the run is accepted.
            return field.path("description").asText().contains("at most");
        }
        return switch (field.path("type").asText()) {
            case "boolean" -> true;
            case "integer" ->
                field.has("minimum")
                        && (field.has("maximum")
                                || field.path("format").asText().equals("int64"));
            case "string" ->
                field.has("maxLength")
                        || field.has("enum")
                        || field.path("format").asText().equals("date-time");
            case "array" -> field.has("maxItems");
            case "object" -> field.has("properties") || field.has("maxProperties");
            default -> false;
        };
    }

    private static void walk(String path, JsonNode schema, Visitor visitor) {
        schema.path("properties").properties().forEach(property -> {
            var name = property.getKey();
            var field = property.getValue();
            var here = path + "." + name;
            if (UPSTREAM.contains(name)) {
                assertThat(field.path("description").asText()).as(here).isNotEmpty();
                return;
            }
            visitor.visit(here, field);
            walk(here, field, visitor);
            walk(here + "[]", field.path("items"), visitor);
            walk(here + "[]", field.path("additionalProperties"), visitor);
        });
    }

    private interface Visitor {
        void visit(String path, JsonNode field);
    }
}
