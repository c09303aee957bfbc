package dev.quiver.crds.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

/** Each file in {@code bad/} is refused, with the words that its first lines expect. */
@ExtendWith(ApiServer.class)
class BadSpecsIT {
    private static final Path FOLDER = Path.of("src/test/resources/bad");
    private static final String EXPECT = "# expect: ";

    @TestFactory
    Stream<DynamicTest> refusesWithWords(KubernetesClient client) throws IOException {
        return files().stream()
                .map(file -> DynamicTest.dynamicTest(
                        file.getFileName().toString(), file.toUri(), () -> refuses(client, file)));
    }

    @Test
    void coversManyMistakes() throws IOException {
        assertThat(files()).hasSizeGreaterThanOrEqualTo(45);
    }

    private static void refuses(KubernetesClient client, Path file) throws IOException {
        var text = Files.readString(file);
        var expected = text.lines()
                .filter(line -> line.startsWith(EXPECT))
                .map(line -> line.substring(EXPECT.length()))
                .toList();
        assertThat(expected).as("lines that begin with " + EXPECT).isNotEmpty();
        var resource = client.getKubernetesSerialization().unmarshal(text, GenericKubernetesResource.class);
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

    private static List<Path> files() throws IOException {
        try (var files = Files.list(FOLDER)) {
            return files.sorted().toList();
        }
    }
}
