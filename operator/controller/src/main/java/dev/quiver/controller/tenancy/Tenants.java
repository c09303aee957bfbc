package dev.quiver.controller.tenancy;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import io.fabric8.kubernetes.client.KubernetesClient;

import dev.quiver.crds.v1alpha1.Quiver;
import dev.quiver.lifecycle.redis.CallRights;
import dev.quiver.lifecycle.redis.RedisEndpoint;

/**
 * Gives each namespace with pools its access to Redis: the Secret that workers mount. With {@link Tenancy#ACL} it also
 * makes a user with the rights of workers and no more. Programs that create Tasks get a Secret and a user of their own
 * in the same way. Where runs are recorded, a namespace gets the account of its readers as well. Thread-safe.
 */
public final class Tenants {

    /**
     * How tenants reach Redis.
     *
     * @param tenancy how they reach Redis
     * @param own the operator's endpoint
     * @param prepared with {@link Tenancy#SECRETS}: a directory for each namespace
     * @param prefixes of keys that a namespace may use beside its own; with {@link Tenancy#ACL} its workers get them
     * @param authorities file with the certificates that workers trust at history, which their Secret carries. It is
     *     read again at each check; a missing file counts as empty
     */
    public record Settings(
            Tenancy tenancy,
            RedisEndpoint own,
            Optional<Path> prepared,
            Function<String, Optional<String>> prefixes,
            Optional<Path> authorities) {}

    /** The ACL of a namespace's user; {@code calls}: what it may call beside the commands on its keys. */
    @FunctionalInterface
    public interface Rules {
        /** The rules as ACL SETUSER takes them. */
        List<String> of(String namespace, String password, CallRights calls);
    }

    private final TenantAccess workers;
    /** The access of programs; absent in the other modes, where the administrator decides who reaches Redis. */
    private final Optional<TenantAccess> clients;
    /** Absent where no runs are recorded. */
    private final Optional<ReaderAccounts> readers;

    /** A lock of each namespace for slow calls: no other namespace waits for a server that does not answer. */
    private final Map<String, Object> locks = new ConcurrentHashMap<>();

    /**
     * Begins with no namespace ensured.
     *
     * @param users those of Redis
     * @param readers the accounts of those who read a namespace's record; absent where no runs are recorded
     */
    public Tenants(
            Settings settings,
            KubernetesClient client,
            RedisUsers users,
            Clock clock,
            Optional<ReaderAccounts> readers) {
        this.readers = readers;
        workers = new TenantAccess(
                new TenantAccess.Role(
                        Quiver.REDIS_SECRET, TenantEndpoint::user, rules(settings), true, settings.authorities()),
                settings,
                new TenantSecret(client, Quiver.REDIS_SECRET),
                users,
                clock);
        clients = Optional.of(new TenantAccess(
                        new TenantAccess.Role(
                                Quiver.REDIS_CLIENT_SECRET,
                                TenantEndpoint::client,
                                TenantRules::ofClient,
                                false,
                                Optional.empty()),
                        settings,
                        new TenantSecret(client, Quiver.REDIS_CLIENT_SECRET),
                        users,
                        clock))
                .filter(access -> settings.tenancy() == Tenancy.ACL);
    }

    /**
     * The time until a namespace is checked again, so that a lost Secret comes back. The time is shorter while a Secret is
     * missing, or while a server could not be given a user.
     */
    public Duration recheck(String namespace) {
        Duration soon = workers.recheck(namespace);
        return clients.map(access -> access.recheck(namespace))
                .filter(other -> other.compareTo(soon) < 0)
                .orElse(soon);
    }

    /** The fault of the workers' access to Redis, as of the last {@link #ensure}. */
    public Optional<String> problem(String namespace) {
        return workers.problem(namespace);
    }

    /**
     * Makes the namespace's Secrets and users if they are missing. Cheap when they were seen just now. {@link #problem}
     * reports an obstacle; other failures of the API server are thrown.
     */
    public void ensure(String namespace) {
        synchronized (lock(namespace)) {
            workers.ensure(namespace);
            clients.ifPresent(access -> access.ensure(namespace));
            readers.ifPresent(accounts -> accounts.ensure(namespace));
        }
    }

    /** Whether workers of that namespace use TLS to Redis, as of the last look. */
    public boolean encrypted(String namespace) {
        return workers.encrypted(namespace);
    }

    /**
     * Removes the users of a namespace without pools; its Secrets stay and serve again when a pool comes back. No other
     * call for that namespace runs between the question and a removal.
     *
     * @param used whether the namespace has pools that stay; asked once
     */
    public void releaseUnless(BooleanSupplier used, String namespace) {
        synchronized (lock(namespace)) {
            if (!used.getAsBoolean()) {
                workers.release(namespace);
                clients.ifPresent(access -> access.release(namespace));
                readers.ifPresent(accounts -> accounts.forget(namespace));
            }
        }
    }

    private static Rules rules(Settings settings) {
        return (namespace, password, calls) ->
                TenantRules.of(namespace, password, calls, settings.prefixes().apply(namespace));
    }

    private Object lock(String namespace) {
        return locks.computeIfAbsent(namespace, first -> new Object());
    }
}
