package dev.quiver.controller.leader;

import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.crds.v1alpha1.Quiver;

/**
 * The number that fences this leader's writes, higher than that of every earlier leader. It is kept twice, as the
 * Lease's {@code leaseTransitions} and in a ConfigMap, so either may be deleted. A keyspace is no third place: a tenant
 * may have written the term there. Thread-safe.
 */
public final class LeaseTerm implements LongSupplier {

    /** The ConfigMap's name, in the operator's namespace. */
    public static final String CONFIG_MAP = "quiver-leader-term";

    private static final Logger log = LoggerFactory.getLogger(LeaseTerm.class);
    private static final String KEY = "term";
    private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int TRIES = 5;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final long PAUSE_NANOS = Duration.ofMillis(500).toNanos();

    private final KubernetesClient client;
    private final LeaseSettings settings;
    private volatile long term;

    /** The term of that Lease; 0 before {@link #begin}. */
    public LeaseTerm(KubernetesClient client, LeaseSettings settings) {
        this.client = client;
        this.settings = settings;
    }

    /**
     * Begins the term of the leadership that was just acquired, and keeps it in both places. Does again what the API
     * server did not answer, for ten seconds: by then the Lease wants to be renewed.
     *
     * @return false when another process has the Lease by now
     * @throws KubernetesClientException when the term could not be kept: then this process must not lead
     */
    public boolean begin() {
        long until = System.nanoTime() + PATIENCE.toNanos();
        for (int i = 1; ; i++) {
            try {
                Optional<Lease> lease = held();
                if (lease.isEmpty()) {
                    return false;
                }
                long counted = transitions(lease.get());
                long next = keep(counted);
                if (counted < next) {
                    client.leases()
                            .inNamespace(settings.namespace())
                            .withName(settings.name())
                            .patch(MERGE, "{\"spec\":{\"leaseTransitions\":" + next + "}}");
                }
                term = next;
                return true;
            } catch (KubernetesClientException e) {
                boolean conflict = e.getCode() == HttpURLConnection.HTTP_CONFLICT && i < TRIES;
                if (!conflict && (isRefusal(e) || System.nanoTime() > until)) {
                    throw e;
                }
                if (!conflict) {
                    log.warn("the leader's term is not kept yet: {}", e.getMessage());
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            }
        }
    }

    /** An answer that another try would not change; without an answer the code is 0. */
    private static boolean isRefusal(KubernetesClientException e) {
        return e.getCode() >= 400 && e.getCode() < 500 && e.getCode() != TOO_MANY_REQUESTS;
    }

    /** Whether this process holds the Lease, as the API server reports it now. */
    public boolean holds() {
        return held().isPresent();
    }

    @Override
    public long getAsLong() {
        return term;
    }

    /** The next term, once it is on record. A leader that comes at the same moment gets a conflict. */
    private long keep(long counted) {
        ConfigMap map = client.configMaps()
                .inNamespace(settings.namespace())
                .withName(CONFIG_MAP)
                .get();
        long next = Math.max(counted, kept(map) + 1);
        if (map == null) {
            client.resource(new ConfigMapBuilder()
                            .withNewMetadata()
                            .withName(CONFIG_MAP)
                            .withNamespace(settings.namespace())
                            .addToLabels(Quiver.MANAGED_BY_LABEL, Quiver.MANAGED_BY)
                            .endMetadata()
                            .withData(Map.of(KEY, Long.toString(next)))
                            .build())
                    .create();
        } else {
            client.configMaps()
                    .inNamespace(settings.namespace())
                    .withName(CONFIG_MAP)
                    .patch(
                            MERGE,
                            "{\"metadata\":{\"resourceVersion\":\""
                                    + map.getMetadata().getResourceVersion() + "\"},\"data\":{\"" + KEY + "\":\"" + next
                                    + "\"}}");
        }
        return next;
    }

    private static long kept(ConfigMap map) {
        String text = map == null || map.getData() == null ? "0" : map.getData().getOrDefault(KEY, "0");
        if (!text.matches("\\d{1,9}")) {
            log.warn("ConfigMap {}: {} is no term and is not followed: {}", CONFIG_MAP, KEY, text);
            return 0;
        }
        return Long.parseLong(text);
    }

    private Optional<Lease> held() {
        Lease lease = client.leases()
                .inNamespace(settings.namespace())
                .withName(settings.name())
                .get();
        return Optional.ofNullable(lease)
                .filter(l -> l.getSpec() != null
                        && settings.identity().equals(l.getSpec().getHolderIdentity()));
    }

    private static long transitions(Lease lease) {
        return Optional.ofNullable(lease.getSpec().getLeaseTransitions())
                .map(Integer::longValue)
                .orElse(0L);
    }
}
