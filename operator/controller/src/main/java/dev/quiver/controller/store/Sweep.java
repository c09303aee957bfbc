package dev.quiver.controller.store;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.controller.kube.LeanObjects;
import dev.quiver.lifecycle.keyspace.Keyspace;

/**
 * Removes keys whose resource is gone. A deletion that could not reach Redis leaves such keys, and a rewound Redis
 * brings them back. Redis is read before the API server, so an existing resource never counts as gone.
 *
 * @param kinds those that have keys by their uid
 * @param client asked directly, since an informer may be behind
 * @param deleted hears which resources of a keyspace are gone, behind the removal of their keys
 */
public record Sweep(List<KeyOwners> kinds, KubernetesClient client, BiConsumer<Keyspace, Collection<String>> deleted) {

    private static final Logger log = LoggerFactory.getLogger(Sweep.class);

    /** Orphans of a kind that one call removes: a tenant decides how many there are, and each takes some calls. */
    private static final int MOST_ORPHANS = 500;

    /** The rest that a sweep leaves in a keyspace. With several kinds the last of these values counts. */
    public enum Remaining {
        /** A keyspace without a key of any resource. */
        NOTHING,
        /** Keys of existing resources. */
        OWNED,
        /** More orphans: sweep again. */
        ORPHANS
    }

    /** Sweeps one keyspace; removes a bounded number of orphans. */
    public Remaining of(Keyspace keyspace) {
        return kinds.stream()
                .map(kind -> of(kind, keyspace))
                .max(Remaining::compareTo)
                .orElse(Remaining.NOTHING);
    }

    private Remaining of(KeyOwners kind, Keyspace keyspace) {
        Set<String> inRedis = kind.present(keyspace);
        if (inRedis.isEmpty()) {
            return Remaining.NOTHING;
        }
        Set<String> inApi = kind.types().stream()
                .flatMap(type -> uids(type, keyspace.namespace()).stream())
                .collect(Collectors.toSet());
        List<String> orphans =
                inRedis.stream().filter(uid -> !inApi.contains(uid)).toList();
        int dropped = Math.min(orphans.size(), MOST_ORPHANS);
        List<String> now = orphans.subList(0, dropped);
        now.forEach(uid -> kind.drop(keyspace, uid));
        deleted.accept(keyspace, now);
        if (dropped > 0) {
            log.info(
                    "keyspace {} removed the keys of {} resources that are gone ({})",
                    keyspace.prefix(),
                    dropped,
                    kind.types().stream().map(HasMetadata::getKind).collect(Collectors.joining(" or ")));
        }
        if (dropped < orphans.size()) {
            return Remaining.ORPHANS;
        }
        return dropped == inRedis.size() ? Remaining.NOTHING : Remaining.OWNED;
    }

    /** In pages: ten thousand resources at once fill the heap, and the collector has no rest. */
    private List<String> uids(Class<? extends CustomResource<?, ?>> type, String namespace) {
        List<String> uids = new ArrayList<>();
        ListOptions page = new ListOptionsBuilder().withLimit(LeanObjects.PAGE).build();
        do {
            var some = client.resources(type).inNamespace(namespace).list(page);
            some.getItems().forEach(resource -> uids.add(resource.getMetadata().getUid()));
            page.setContinue(some.getMetadata().getContinue());
        } while (page.getContinue() != null && !page.getContinue().isEmpty());
        return uids;
    }
}
