package dev.quiver.controller.tenancy;

import java.time.Clock;
import java.util.Optional;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.controller.kube.ApiRefusal;
import dev.quiver.crds.v1alpha1.Quiver;

/**
 * The access of history to Redis: a Secret in the operator's namespace. With {@link Tenancy#ACL} there is also a user
 * that reads and trims the streams of all namespaces. In the other modes users are not made, so history has the
 * operator's own endpoint. For one thread at a time.
 */
public final class HistoryAccess {

    private static final Logger log = LoggerFactory.getLogger(HistoryAccess.class);

    private final TenantAccess access;
    private final String namespace;
    private Optional<String> logged = Optional.empty();

    /**
     * Begins with nothing ensured.
     *
     * @param settings of the tenants
     * @param users those of Redis
     * @param namespace the operator's own
     */
    public HistoryAccess(
            Tenants.Settings settings, KubernetesClient client, RedisUsers users, Clock clock, String namespace) {
        Tenancy tenancy = settings.tenancy() == Tenancy.ACL ? Tenancy.ACL : Tenancy.SHARED;
        this.access = new TenantAccess(
                new TenantAccess.Role(
                        Quiver.REDIS_HISTORY_SECRET,
                        own -> TenantEndpoint.history(),
                        (own, password, calls) -> TenantRules.ofHistory(password, calls),
                        true,
                        Optional.empty()),
                new Tenants.Settings(
                        tenancy, settings.own(), Optional.empty(), other -> Optional.empty(), Optional.empty()),
                new TenantSecret(client, Quiver.REDIS_HISTORY_SECRET),
                users,
                clock);
        this.namespace = namespace;
    }

    /**
     * Makes Secret and user if they are missing. Cheap when both were seen just now. An obstacle is logged once, and tried
     * again at a later call.
     */
    public void ensure() {
        Optional<String> problem;
        try {
            access.ensure(namespace);
            problem = access.problem(namespace);
        } catch (KubernetesClientException e) {
            problem = Optional.of(ApiRefusal.message(e));
        }
        if (!problem.equals(logged)) {
            problem.ifPresent(why -> log.warn("history gets no access to Redis yet: {}", why));
            logged = problem;
        }
    }
}
