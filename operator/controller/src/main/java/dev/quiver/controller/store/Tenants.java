package dev.quiver.controller.store;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;

import io.fabric8.kubernetes.client.KubernetesClientException;

import dev.quiver.controller.ApiRefusal;
import dev.quiver.crds.v1alpha1.Quiver;
import dev.quiver.lifecycle.RedisEndpoint;

/**
 * Gives each namespace with pools its way into Redis: the Secret that workers mount, and, with {@link Tenancy#ACL}, a
 * user that can do what workers do and no more. The Secret is the only memory of the password. Thread-safe.
 */
public final class Tenants {

    private static final Duration RECHECK = Duration.ofSeconds(60);
    private static final Duration RECHECK_REFUSED = Duration.ofSeconds(5);

    /**
     * Where tenants go.
     *
     * @param tenancy how they reach Redis
     * @param own the operator's endpoint
     * @param prepared with {@link Tenancy#SECRETS}: a directory for each namespace
     */
    public record Settings(Tenancy tenancy, RedisEndpoint own, Optional<Path> prepared) {}

    private final Settings settings;
    private final TenantSecret secrets;
    private final Store store;
    private final BiFunction<String, String, List<String>> rules;
    private final Clock clock;
    private final Map<String, Instant> checked = new HashMap<>();
    private final Map<String, String> passwords = new HashMap<>();
    private final Map<String, String> objections = new ConcurrentHashMap<>();
    private final Set<String> encrypted = ConcurrentHashMap.newKeySet();
    private final Set<String> asserted = ConcurrentHashMap.newKeySet();

    /**
     * Nothing is assured yet.
     *
     * @param rules the ACL of a namespace's user, from namespace and password
     */
    public Tenants(
            Settings settings,
            TenantSecret secrets,
            Store store,
            BiFunction<String, String, List<String>> rules,
            Clock clock) {
        this.settings = settings;
        this.secrets = secrets;
        this.store = store;
        this.rules = rules;
        this.clock = clock;
        // A Redis that was away may have forgotten its users.
        store.onUp(asserted::clear);
    }

    /** When a namespace is to be assured again, so that a lost Secret comes back: sooner while it has none. */
    public Duration recheck(String namespace) {
        return objections.containsKey(namespace) ? RECHECK_REFUSED : RECHECK;
    }

    /** Why the namespace's Secret is not what it should be, in words; as of the last {@link #ensure}. */
    public Optional<String> objection(String namespace) {
        return Optional.ofNullable(objections.get(namespace));
    }

    /**
     * Sees to it that the namespace's Secret is there and its user exists. Cheap when both were seen just now. What
     * stands in the way is told by {@link #objection}; other failures of the API server are thrown.
     */
    public synchronized void ensure(String namespace) {
        Instant now = clock.instant();
        Instant last = checked.get(namespace);
        if (last == null || !last.plus(recheck(namespace)).isAfter(now)) {
            ensureSecret(namespace)
                    .ifPresentOrElse(no -> objections.put(namespace, no), () -> objections.remove(namespace));
            checked.put(namespace, now);
        }
        if (settings.tenancy() == Tenancy.ACL && !asserted.contains(namespace)) {
            assertUser(namespace);
        }
    }

    /** Whether workers of that namespace speak TLS to Redis, as of the last look. */
    public boolean encrypted(String namespace) {
        return encrypted.contains(namespace);
    }

    /**
     * Takes the user of a namespace without pools away; its Secret stays and serves again when a pool comes back. Nobody
     * is let in between the question and the removal.
     *
     * @param used whether the namespace has pools that stay
     */
    public synchronized void releaseUnless(BooleanSupplier used, String namespace) {
        if (used.getAsBoolean()) {
            return;
        }
        checked.remove(namespace);
        asserted.remove(namespace);
        objections.remove(namespace);
        if (settings.tenancy() == Tenancy.ACL) {
            store.tell(() -> store.admin().removeUser(TenantEndpoint.user(namespace)));
        }
    }

    private Optional<String> ensureSecret(String namespace) {
        try {
            return agreeOnSecret(namespace);
        } catch (IOException e) {
            return Optional.of("the way to Redis for this namespace cannot be read: " + e.getMessage());
        } catch (KubernetesClientException e) {
            return Optional.of("Secret " + Quiver.REDIS_SECRET + " cannot be made or brought up to date: "
                    + ApiRefusal.of(e).orElseThrow(() -> e).words());
        }
    }

    private Optional<String> agreeOnSecret(String namespace) throws IOException {
        Optional<Map<String, String>> present = secrets.read(namespace);
        Optional<Map<String, String>> wanted = wanted(namespace, present);
        if (wanted.isEmpty() && present.isEmpty()) {
            return Optional.of("no Secret is named for this namespace: add it to the chart's tenancy.secrets as "
                    + namespace + ", or make Secret " + Quiver.REDIS_SECRET + " here");
        }
        Map<String, String> files = wanted.or(() -> present).orElseThrow();
        if (present.isEmpty() && !secrets.create(namespace, files)) {
            return agreeOnSecret(namespace);
        }
        if (present.isPresent() && !present.get().equals(files)) {
            secrets.patch(namespace, files);
        }
        if (TenantEndpoint.encrypted(files)) {
            encrypted.add(namespace);
        } else {
            encrypted.remove(namespace);
        }
        TenantEndpoint.password(files).ifPresent(p -> {
            if (!p.equals(passwords.put(namespace, p))) {
                asserted.remove(namespace);
            }
        });
        return Optional.empty();
    }

    private Optional<Map<String, String>> wanted(String namespace, Optional<Map<String, String>> present)
            throws IOException {
        return switch (settings.tenancy()) {
            case SHARED -> Optional.of(TenantEndpoint.same(settings.own()));
            case SECRETS ->
                TenantEndpoint.prepared(settings.prepared().orElseThrow().resolve(namespace));
            case ACL -> {
                String password = present.flatMap(TenantEndpoint::password).orElseGet(Passwords::fresh);
                yield Optional.of(TenantEndpoint.as(settings.own(), TenantEndpoint.user(namespace), password));
            }
        };
    }

    private void assertUser(String namespace) {
        String password = passwords.get(namespace);
        boolean done = password != null
                && store.tell(
                        () -> store.admin().setUser(TenantEndpoint.user(namespace), rules.apply(namespace, password)));
        if (done) {
            asserted.add(namespace);
        }
    }
}
