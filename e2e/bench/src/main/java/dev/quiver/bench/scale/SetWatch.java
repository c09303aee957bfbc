package dev.quiver.bench.scale;

import java.io.Closeable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;

import dev.quiver.bench.Waiting;
import dev.quiver.bench.kube.Kinds;

/** The TaskSets of a namespace as one watch shows them: no question of the bench is a load of what it measures. */
final class SetWatch implements Watcher<GenericKubernetesResource>, Closeable {

    /** By name whether the status shows the set as suspended; false until there is a status. */
    private final Map<String, Boolean> suspended = new ConcurrentHashMap<>();

    private final Set<String> reported = ConcurrentHashMap.newKeySet();
    private final NonNamespaceOperation<
                    GenericKubernetesResource, GenericKubernetesResourceList, Resource<GenericKubernetesResource>>
            sets;
    private final Watch watch;
    private volatile Optional<WatcherException> broken = Optional.empty();

    private SetWatch(KubernetesClient client) {
        sets = client.genericKubernetesResources(Kinds.TASK_SETS).inNamespace("default");
        watch = sets.watch(this);
    }

    static SetWatch of(KubernetesClient client) {
        return new SetWatch(client);
    }

    @Override
    public void eventReceived(Action action, GenericKubernetesResource set) {
        String name = set.getMetadata().getName();
        if (action == Action.DELETED) {
            suspended.remove(name);
            reported.remove(name);
            return;
        }
        List<Map<String, Object>> conditions = set.get("status", "conditions");
        suspended.put(
                name,
                conditions != null
                        && conditions.stream()
                                .anyMatch(it -> "Suspended".equals(it.get("type")) && "True".equals(it.get("status"))));
        if (conditions != null) {
            reported.add(name);
        }
    }

    @Override
    public void onClose(WatcherException cause) {
        broken = Optional.ofNullable(cause);
    }

    /** How many there are. */
    int known() {
        return suspended.size();
    }

    /** How many have a status. */
    int reported() {
        return reported.size();
    }

    boolean isSuspended(String name) {
        return suspended.getOrDefault(name, false);
    }

    void suspend(String name) {
        sets.withName(name).patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"suspend\":true}}");
    }

    /** Sets what has to be taken off before the set is gone, a JSON array. */
    void setFinalizers(String name, String finalizers) {
        sets.withName(name)
                .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\":{\"finalizers\":" + finalizers + "}}");
    }

    /** Asks for the deletion of all by one request; they go one after the other. */
    void deleteAll() {
        sets.delete();
    }

    /** Waits until a condition on what was seen holds; fails at once when the watch has broken. */
    void await(String what, Duration patience, Callable<Boolean> condition) throws Exception {
        Waiting.await(what, patience, () -> {
            if (broken.isPresent()) {
                throw broken.get();
            }
            return condition.call();
        });
    }

    @Override
    public void close() {
        watch.close();
    }
}
