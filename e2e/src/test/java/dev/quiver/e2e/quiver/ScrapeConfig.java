package dev.quiver.e2e.quiver;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;

/**
 * The configuration that the Prometheus operator would make of the chart's monitors: which pods are scraped, by which
 * ports and with which labels. The pods are those of now, since Debian's Prometheus cannot ask Kubernetes. It knows no
 * more of monitors than the chart's use.
 */
record ScrapeConfig(KubernetesClient client) {

    private static final String EACH_SECOND = "1s";

    /**
     * A configuration with one job for each monitor, which scrapes and evaluates each second.
     *
     * @param monitors as the chart renders them
     * @param rules a file of rules
     */
    String of(List<GenericKubernetesResource> monitors, Path rules) {
        Map<String, Object> config = new LinkedHashMap<>();
        config.put("global", Map.of("scrape_interval", EACH_SECOND, "evaluation_interval", EACH_SECOND));
        config.put("rule_files", List.of(rules.toString()));
        config.put("scrape_configs", monitors.stream().map(this::job).toList());
        return Serialization.asYaml(config);
    }

    private Map<String, Object> job(GenericKubernetesResource monitor) {
        JsonNode spec = Serialization.unmarshal(Serialization.asJson(monitor), JsonNode.class)
                .get("spec");
        boolean service = monitor.getKind().equals("ServiceMonitor");
        JsonNode endpoint = spec.at(service ? "/endpoints/0" : "/podMetricsEndpoints/0");
        String port = endpoint.get("port").asText();
        LabelSelector selector = Serialization.unmarshal(spec.get("selector").toString(), LabelSelector.class);
        String namespace = monitor.getMetadata().getNamespace();
        Stream<Map<String, Object>> targets = service
                ? services(namespace, selector).flatMap(found -> behind(found, port, endpoint))
                : pods(spec.at("/namespaceSelector/any").asBoolean(), namespace, selector).stream()
                        .flatMap(pod -> target(pod, port, endpoint));
        Map<String, Object> job = new LinkedHashMap<>();
        job.put("job_name", monitor.getMetadata().getName());
        job.put("metrics_path", endpoint.get("path").asText());
        job.put("honor_labels", endpoint.path("honorLabels").asBoolean());
        job.put("static_configs", targets.toList());
        return job;
    }

    private Stream<Service> services(String namespace, LabelSelector selector) {
        return client.services().inNamespace(namespace).withLabelSelector(selector).list().getItems().stream();
    }

    private List<Pod> pods(boolean any, String namespace, LabelSelector selector) {
        return any
                ? client.pods()
                        .inAnyNamespace()
                        .withLabelSelector(selector)
                        .list()
                        .getItems()
                : client.pods()
                        .inNamespace(namespace)
                        .withLabelSelector(selector)
                        .list()
                        .getItems();
    }

    /** The pods behind a service, by its own port of that name. */
    private Stream<Map<String, Object>> behind(Service service, String port, JsonNode endpoint) {
        LabelSelector selector = new LabelSelector();
        selector.setMatchLabels(service.getSpec().getSelector());
        return service.getSpec().getPorts().stream()
                .filter(its -> its.getName().equals(port))
                .flatMap(its -> pods(false, service.getMetadata().getNamespace(), selector).stream()
                        .flatMap(pod -> target(pod, its.getTargetPort().getStrVal(), endpoint)));
    }

    private static Stream<Map<String, Object>> target(Pod pod, String port, JsonNode endpoint) {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("namespace", pod.getMetadata().getNamespace());
        labels.put("pod", pod.getMetadata().getName());
        endpoint.path("relabelings")
                .forEach(own -> pod.getMetadata().getLabels().forEach((name, value) -> {
                    String source = "__meta_kubernetes_pod_label_" + name.replaceAll("[^a-zA-Z0-9_]", "_");
                    if (source.equals(own.at("/sourceLabels/0").asText())) {
                        labels.put(own.get("targetLabel").asText(), value);
                    }
                }));
        return Stream.concat(
                        pod.getSpec().getContainers().stream(),
                        Stream.ofNullable(pod.getSpec().getInitContainers()).flatMap(List::stream))
                .flatMap(container -> container.getPorts().stream())
                .filter(its -> port.equals(its.getName()))
                .map(its -> Map.of(
                        "targets",
                        List.of(pod.getStatus().getPodIP() + ":" + its.getContainerPort()),
                        "labels",
                        labels));
    }
}
