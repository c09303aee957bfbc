package dev.quiver.controller.mapreduce;

import java.util.Map;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;

import dev.quiver.crds.v1alpha1.ConfigMapKeyRef;
import dev.quiver.crds.v1alpha1.MapReduceInput;
import dev.quiver.crds.v1alpha1.MapReduceJob;

/** Reads the input of a job; a ConfigMap by name, each time. Thread-safe. */
record InputReader(KubernetesClient client) {

    private static final String FIELD = "spec.input.configMapKeyRef";

    JobInput read(MapReduceJob job) {
        Optional<MapReduceInput> input = Optional.ofNullable(job.getSpec().input());
        return input.map(MapReduceInput::configMapKeyRef)
                .map(ref -> of(
                        ref,
                        client.configMaps()
                                .inNamespace(job.getMetadata().getNamespace())
                                .withName(ref.name())
                                .get()))
                .orElseGet(() -> JobInput.inline(input));
    }

    static JobInput of(ConfigMapKeyRef ref, ConfigMap map) {
        if (map == null) {
            return new JobInput.NotFound(FIELD + ".name: there is no ConfigMap " + ref.name() + " in this namespace.");
        }
        Map<String, String> data = Optional.ofNullable(map.getData()).orElse(Map.of());
        String text = data.get(ref.key());
        if (text != null) {
            return JobInput.ofText(FIELD + ": ConfigMap " + ref.name() + ", key " + ref.key(), text);
        }
        boolean binary =
                Optional.ofNullable(map.getBinaryData()).orElse(Map.of()).containsKey(ref.key());
        return new JobInput.NotFound(FIELD + ".key: ConfigMap " + ref.name() + " has "
                + (binary
                        ? "key " + ref.key() + " in its binaryData; it must be in data, as text."
                        : "no key " + ref.key() + " in its data; it has " + data.keySet() + "."));
    }
}
