package dev.quiver.controller.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;

class LeanObjectsTest {

    private static final String POD = """
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "labels": {"b": "c"}, "managedFields": [
              {"manager": "kubectl", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1",
               "fieldsV1": {"f:metadata": {"f:labels": {"f:b": {}}}}}]}}""";

    @Test
    void readsAndWritesAllOfAnObjectButItsManagers() {
        KubernetesSerialization objects = LeanObjects.serialization();
        Pod pod = objects.unmarshal(POD, Pod.class);
        assertThat(pod.getMetadata().getManagedFields()).isEmpty();
        assertThat(pod.getMetadata().getAdditionalProperties()).isEmpty();
        assertThat(pod.getMetadata().getName()).isEqualTo("a");
        assertThat(objects.asJson(pod)).contains("\"b\":\"c\"").doesNotContain("managedFields");
    }
}
