package dev.quiver.controller.store;

import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.crds.v1alpha1.TaskSet;
import dev.quiver.lifecycle.Keyspace;
import dev.quiver.lifecycle.taskset.TaskSetControl;

/**
 * Removes keys whose resource is gone: left by a deletion that could not reach Redis, or brought back by a rewound one.
 * Redis is read before the API server, so a resource that is there now is never taken for gone.
 *
 * @param store where the keys are
 * @param client asked directly: an informer may be behind
 */
public record Sweep(Store store, KubernetesClient client) {

    private static final Logger log = LoggerFactory.getLogger(Sweep.class);

    /** Sweeps one keyspace; true when nothing of any TaskSet is left there. */
    public boolean of(Keyspace keyspace) {
        TaskSetControl control = store.runs(keyspace);
        Set<String> inRedis = control.present();
        if (inRedis.isEmpty()) {
            return true;
        }
        Set<String> inApi = client.resources(TaskSet.class).inNamespace(namespace(keyspace)).list().getItems().stream()
                .map(set -> set.getMetadata().getUid())
                .collect(Collectors.toSet());
        Collection<String> orphans =
                inRedis.stream().filter(uid -> !inApi.contains(uid)).toList();
        orphans.forEach(control::drop);
        if (!orphans.isEmpty()) {
            log.info("keyspace {} removed the keys of {} TaskSets that are gone", keyspace.prefix(), orphans.size());
        }
        return orphans.size() == inRedis.size();
    }

    private static String namespace(Keyspace keyspace) {
        String tag = keyspace.prefix()
                .substring("quiver:{".length(), keyspace.prefix().indexOf('}'));
        int slash = tag.indexOf('/');
        return slash < 0 ? tag : tag.substring(0, slash);
    }
}
