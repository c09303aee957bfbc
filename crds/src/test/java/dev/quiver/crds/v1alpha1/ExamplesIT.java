package dev.quiver.crds.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.FieldValidateable.Validation;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

import dev.quiver.crds.apiserver.ApiServer;
import dev.quiver.crds.v1alpha1.Examples.Example;

/** Each example that a newcomer copies is accepted as it stands, and comes back as the types say. */
@ExtendWith(ApiServer.class)
class ExamplesIT {
    @TestFactory
    Stream<DynamicTest> acceptsEachExample(KubernetesClient client) throws IOException {
        return Examples.all().stream()
                .map(example -> DynamicTest.dynamicTest(example.name(), example.at(), () -> accepts(client, example)));
    }

    @Test
    void fillsInTheSameDefaultsAsTheTypes(KubernetesClient client) {
        var pool = Specimens.pool("defaults");
        var spec = client.resource(pool).create().getSpec();
        assertThat(spec).isEqualTo(pool.getSpec());

        // The types wrote their defaults above; here the server must.
        var bare = client.getKubernetesSerialization().unmarshal("""
                        apiVersion: quiver.dev/v1alpha1
                        kind: WorkerPool
                        metadata: {name: bare}
                        spec: {template: {spec: {containers: [{name: worker, image: quiver/demo:0.1.0}]}}}
                        """, GenericKubernetesResource.class);
        client.resource(bare).create();
        var stored = client.genericKubernetesResources("quiver.dev/v1alpha1", "WorkerPool")
                .withName("bare")
                .get();
        assertThat(stored.<Object>get("spec", "slots", "count")).isEqualTo(4);
        assertThat(stored.<Object>get("spec", "slots", "inputSize")).isEqualTo("1Mi");
        assertThat(stored.<Object>get("spec", "rollout", "maxUnavailable")).isEqualTo("25%");
        assertThat(stored.<Object>get("spec", "rollout", "maxSurge")).isEqualTo(0);
        assertThat(stored.<Object>get("spec", "drainSeconds")).isEqualTo(300);
        assertThat(client.resources(WorkerPool.class).withName("bare").get().getSpec())
                .isEqualTo(Specimens.pool("bare").getSpec());
    }

    private static void accepts(KubernetesClient client, Example example) {
        var items = client.load(new ByteArrayInputStream(example.yaml().getBytes(StandardCharsets.UTF_8)))
                .items();
        try {
            var created = items.stream()
                    .map(item -> client.resource(item)
                            .fieldValidation(Validation.STRICT)
                            .create())
                    .toList();
            assertThat(created.stream().filter(item -> item.getApiVersion().startsWith(Quiver.GROUP)))
                    .isNotEmpty()
                    .doesNotHaveAnyElementsOfTypes(GenericKubernetesResource.class)
                    .allSatisfy(item -> assertThat(comesBack(client, item)).isEqualTo(item));
        } finally {
            items.forEach(item -> client.resource(item).delete()); // others may have the same names
        }
    }

    private static HasMetadata comesBack(KubernetesClient client, HasMetadata item) {
        return client.resource(item).get();
    }
}
