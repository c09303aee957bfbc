package dev.quiver.e2e.chart;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.utils.Serialization;

/** The objects that the chart renders, in order. Immutable. */
record Rendered(List<GenericKubernetesResource> objects) {

    static Rendered of(String yaml) {
        return new Rendered(Stream.of(yaml.split("(?m)^---$"))
                .filter(document -> document.lines().anyMatch(line -> !line.isBlank() && !line.startsWith("#")))
                .map(document -> Serialization.unmarshal(document, GenericKubernetesResource.class))
                .toList());
    }

    /** All objects of a kind. */
    <T extends HasMetadata> List<T> all(Class<T> kind) {
        return objects.stream()
                .filter(object -> object.getKind().equals(kind.getSimpleName()))
                .map(object -> Serialization.unmarshal(Serialization.asJson(object), kind))
                .toList();
    }

    /** The one object of a kind and name. */
    <T extends HasMetadata> T the(Class<T> kind, String name) {
        return all(kind).stream()
                .filter(object -> object.getMetadata().getName().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("the chart renders no " + kind.getSimpleName() + " " + name));
    }

    /** Whether there is an object of that kind and name. */
    boolean has(Class<? extends HasMetadata> kind, String name) {
        return all(kind).stream()
                .anyMatch(object -> object.getMetadata().getName().equals(name));
    }

    /** The pods of everything that runs, by the kind and name of their owner. */
    Map<String, PodTemplateSpec> pods() {
        Map<String, PodTemplateSpec> pods = new TreeMap<>();
        all(Deployment.class)
                .forEach(o -> pods.put("Deployment " + nameOf(o), o.getSpec().getTemplate()));
        all(StatefulSet.class)
                .forEach(o -> pods.put("StatefulSet " + nameOf(o), o.getSpec().getTemplate()));
        all(Job.class).forEach(o -> pods.put("Job " + nameOf(o), o.getSpec().getTemplate()));
        all(Pod.class).forEach(o -> pods.put("Pod " + nameOf(o), new PodTemplateSpec(o.getMetadata(), o.getSpec())));
        return pods;
    }

    /** Every container of every pod, init containers included. */
    Stream<Container> containers() {
        return pods().values().stream()
                .map(PodTemplateSpec::getSpec)
                .flatMap(pod -> Stream.concat(pod.getInitContainers().stream(), pod.getContainers().stream()));
    }

    private static String nameOf(HasMetadata object) {
        return object.getMetadata().getName();
    }
}
