package dev.quiver.crds.apiserver;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.awaitility.Awaitility;

import dev.quiver.crds.v1alpha1.Quiver;
import dev.quiver.crds.v1alpha1.TaskSet;

/**
 * The resource definitions of Quiver as they are shipped, those of upcoming kinds as they will be, and how a test
 * installs them.
 */
public final class Definitions {
    private static final List<String> FILES = List.of(
            "workerpools.quiver.dev.yaml",
            "tasksets.quiver.dev.yaml",
            "qtasks.quiver.dev.yaml",
            "mapreducejobs.quiver.dev.yaml");

    private Definitions() {}

    /** Installs all definitions, or puts them in place of those that are there, and waits until they are served. */
    public static void install(KubernetesClient client) {
        install(client, UnaryOperator.identity());
    }

    /** As {@link #install(KubernetesClient)}, with each definition changed first. */
    public static void install(KubernetesClient client, UnaryOperator<CustomResourceDefinition> change) {
        for (var file : FILES) {
            var definition = change.apply(read(client, file));
            client.resource(definition).createOr(existing -> existing.update());
        }
        for (var file : FILES) {
            var name = file.substring(0, file.length() - ".yaml".length());
            Awaitility.await("the API server serves " + name)
                    .atMost(Duration.ofMinutes(2))
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> established(client, name) && served(client, name));
        }
    }

    private static boolean established(KubernetesClient client, String name) {
        // Right after its creation a definition may have no status, and a status no conditions.
        return Optional.ofNullable(client.apiextensions()
                        .v1()
                        .customResourceDefinitions()
                        .withName(name)
                        .get())
                .map(CustomResourceDefinition::getStatus)
                .map(CustomResourceDefinitionStatus::getConditions)
                .orElse(List.of())
                .stream()
                .anyMatch(
                        c -> c.getType().equals("Established") && c.getStatus().equals("True"));
    }

    /** The server of the resource can be a moment behind the word that says so. */
    private static boolean served(KubernetesClient client, String name) {
        var plural = name.substring(0, name.indexOf('.'));
        try {
            client.raw("/apis/" + Quiver.GROUP + "/" + Quiver.VERSION + "/" + plural + "?limit=1");
            return true;
        } catch (KubernetesClientException e) {
            return false;
        }
    }

    private static CustomResourceDefinition read(KubernetesClient client, String file) {
        try (InputStream released = TaskSet.class.getResourceAsStream("/META-INF/quiver/" + file);
                InputStream upcoming = Definitions.class.getResourceAsStream("upcoming/" + file)) {
            var yaml = released == null ? upcoming : released;
            return client.getKubernetesSerialization().unmarshal(yaml, CustomResourceDefinition.class);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
