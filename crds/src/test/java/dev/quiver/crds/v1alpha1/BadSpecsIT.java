package dev.quiver.crds.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.FieldValidateable.Validation;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.crds.apiserver.ApiServer;

/**
 * Each file in {@code bad/} is refused, with the words that its first lines expect. It is a merge patch (RFC 7386) of the
 * resource in {@code base/} that its name begins with. It has the fields that differ, and null for one that is absent.
 */
@ExtendWith(ApiServer.class)
class BadSpecsIT {
    private static final Path FOLDER = Path.of("src/test/resources/bad");
    private static final Path BASES = Path.of("src/test/resources/base");
    private static final String EXPECT = "# expect: ";

    @TestFactory
    Stream<DynamicTest> refusesWithWords(KubernetesClient client) throws IOException {
        return in(FOLDER).stream()
                .map(file -> DynamicTest.dynamicTest(
                        file.getFileName().toString(), file.toUri(), () -> refuses(client, file)));
    }

    @Test
    void coversManyMistakes() throws IOException {
        assertThat(in(FOLDER)).hasSizeGreaterThanOrEqualTo(380);
    }

    /** Or a refusal would be the base's own. */
    @TestFactory
    Stream<DynamicTest> acceptsWhatTheyDifferFrom(KubernetesClient client) throws IOException {
        return in(BASES).stream()
                .map(base -> DynamicTest.dynamicTest(base.getFileName().toString(), base.toUri(), () -> {
                    var resource = client.getKubernetesSerialization()
                            .unmarshal(Files.readString(base), GenericKubernetesResource.class);
                    client.resource(resource).fieldValidation(Validation.STRICT).create();
                    client.resource(resource).delete();
                }));
    }

    private static void refuses(KubernetesClient client, Path file) throws IOException {
        var text = Files.readString(file);
        var expected = text.lines()
                .filter(line -> line.startsWith(EXPECT))
                .map(line -> line.substring(EXPECT.length()))
                .toList();
        assertThat(expected).as("lines that begin with " + EXPECT).isNotEmpty();
        var resource = completed(client, file);
        var refusal = catchThrowableOfType(
                KubernetesClientException.class,
                () -> client.resource(resource)
                        .fieldValidation(Validation.STRICT)
                        .create());
        assertThat(refusal).as("refusal").isNotNull();
        assertThat(refusal.getMessage()).contains(expected);
        assertThat(refusal.getMessage()).doesNotContain("evaluating rule");
        assertThat(refusal.getCode()).isIn(400, 422);
    }

    private static GenericKubernetesResource completed(KubernetesClient client, Path file) throws IOException {
        var yaml = client.getKubernetesSerialization();
        var kind = file.getFileName().toString().split("-")[0];
        Map<?, ?> base = yaml.unmarshal(Files.readString(BASES.resolve(kind + ".yaml")), Map.class);
        Map<?, ?> patch = yaml.unmarshal(Files.readString(file), Map.class);
        return yaml.convertValue(merged(base, patch), GenericKubernetesResource.class);
    }

    private static Map<?, ?> merged(Map<?, ?> base, Map<?, ?> patch) {
        var merged = new LinkedHashMap<Object, Object>(base);
        patch.forEach((key, value) -> {
            if (value == null) {
                merged.remove(key);
            } else if (value instanceof Map<?, ?> inner) {
                merged.put(key, merged(base.get(key) instanceof Map<?, ?> of ? of : Map.of(), inner));
            } else {
                merged.put(key, value);
            }
        });
        return merged;
    }

    private static List<Path> in(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }
}
