package dev.quiver.crds.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.quiver.crds.v1alpha1.Examples.Example;

class ExamplesTest {
    private static final YAMLMapper STRICT = YAMLMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private static final Map<String, Class<?>> SPECS = Map.of(
            "TaskSet",
            TaskSetSpec.class,
            "Task",
            TaskSpec.class,
            "MapReduceJob",
            MapReduceJobSpec.class,
            "WorkerPool",
            WorkerPoolSpec.class);

    static Stream<Example> examples() throws IOException {
        return Examples.all().stream();
    }

    static Stream<Path> files() throws IOException {
        return Examples.files().stream();
    }

    @ParameterizedTest
    @MethodSource("examples")
    void parsesIntoTheTypedApiWithNothingLeftOver(Example example) throws IOException {
        int ours = 0;
        for (var document : documents(example)) {
            var kind = document.path("kind").asText();
            if (kind.equals("ConfigMap")) {
                continue;
            }
            var spec = document.get("spec");
            var typed = STRICT.treeToValue(spec, SPECS.get(kind));
            // The pod template's types take unknown fields in silence; nothing may be lost on the way back.
            assertThat(missing("", spec, STRICT.valueToTree(typed))).isEmpty();
            if (typed instanceof TaskSpec task) {
                assertThat(TaskGraph.of(task)).isInstanceOf(TaskGraph.Valid.class);
            }
            ours++;
        }
        assertThat(ours).isPositive();
    }

    @ParameterizedTest
    @MethodSource("files")
    void beginsWithWordsForANewcomer(Path file) throws IOException {
        var name = file.getFileName().toString();
        assertThat(Files.readString(file))
                .startsWith("# ")
                .containsPattern("kubectl apply -f .*" + Pattern.quote(name));
    }

    @Test
    void strictMeansStrict() {
        assertThatThrownBy(() -> STRICT.readValue("{replicas: 1, nope: 2}", TaskSetSpec.class))
                .hasMessageContaining("nope");
        assertThatThrownBy(() -> STRICT.readValue("{task: {command: [a], handlers: b}}", TaskSetSpec.class))
                .hasMessageContaining("handlers");
    }

    private static List<JsonNode> documents(Example example) throws IOException {
        try (var values = STRICT.readerFor(JsonNode.class).<JsonNode>readValues(example.yaml())) {
            return values.readAll();
        }
    }

    /** Paths of what stands in the first tree and not, or differently, in the second. */
    private static List<String> missing(String path, JsonNode expected, JsonNode actual) {
        var missing = new ArrayList<String>();
        if (expected.isObject()) {
            expected.properties()
                    .forEach(p ->
                            missing.addAll(missing(path + "." + p.getKey(), p.getValue(), actual.path(p.getKey()))));
        } else if (expected.isArray()) {
            for (int i = 0; i < expected.size(); i++) {
                missing.addAll(missing(path + "[" + i + "]", expected.get(i), actual.path(i)));
            }
        } else if (!expected.asText().equals(actual.asText())) {
            missing.add(path + ": " + expected + " became " + actual);
        }
        return missing;
    }
}
