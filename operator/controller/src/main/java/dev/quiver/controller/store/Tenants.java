package dev.quiver.controller.store;

import java.io.IOException;
import java.io.UncheckedIOException;
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

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.RedisEndpoint;

/**
 * Gives each namespace with pools its way into Redis: the Secret that workers mount, and, with {@link Tenancy#ACL}, a
 * user that can do what workers do and no more. The Secret is the only memory of the password. Thread-safe.
 */
public final class Tenants {

    private static final Logger log = LoggerFactory.getLogger(Tenants.class);
    private static final Duration RECHECK = Duration.ofSeconds(60);

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

    /** How often a namespace is to be assured again, so that a lost Secret comes back. */
    public Duration recheck() {
        return RECHECK;
    }

    /** Sees to it that the namespace's Secret is there and its user exists. Cheap when both were seen just now. */
    public synchronized void ensure(String namespace) {
        Instant now = clock.instant();
        Instant last = checked.get(namespace);
        if (last == null || !last.plus(RECHECK).isAfter(now)) {
            try {
                ensureSecret(namespace);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
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

    /** Takes the user of a namespace without pools away; its Secret stays and serves again when a pool comes back. */
    public synchronized void release(String namespace) {
        checked.remove(namespace);
        asserted.remove(namespace);
        if (settings.tenancy() == Tenancy.ACL) {
            store.ask(
                    () -> {
                        store.admin().removeUser(TenantEndpoint.user(namespace));
                        return true;
                    },
                    away -> false);
        }
    }

    private void ensureSecret(String namespace) throws IOException {
        Optional<Map<String, String>> present = secrets.read(namespace);
        Optional<Map<String, String>> wanted = wanted(namespace, present);
        if (wanted.isEmpty()) {
            log.warn("no Redis Secret is prepared for namespace {}", namespace);
            return;
        }
        if (present.isEmpty()) {
            if (!secrets.create(namespace, wanted.get())) {
                ensureSecret(namespace);
                return;
            }
        } else if (!present.get().equals(wanted.get())) {
            secrets.patch(namespace, wanted.get());
        }
        if (TenantEndpoint.encrypted(wanted.get())) {
            encrypted.add(namespace);
        } else {
            encrypted.remove(namespace);
        }
        TenantEndpoint.password(wanted.get()).ifPresent(p -> {
            if (!p.equals(passwords.put(namespace, p))) {
                asserted.remove(namespace);
            }
        });
    }

    private Optional<Map<String, String>> wanted(String namespace, Optional<Map<String, String>> present)
            throws IOException {
        return switch (settings.tenancy()) {
            case SHARED -> Optional.of(TenantEndpoint.same(settings.own()));
            case SECRETS ->
                TenantEndpoint.prepared(settings.prepared().orElseThrow().resolve(namespace));
            case ACL -> {
                String password = present.flatMap(TenantEndpoint::password).orElseGet(TenantEndpoint::newPassword);
                yield Optional.of(TenantEndpoint.as(settings.own(), TenantEndpoint.user(namespace), password));
            }
        };
    }

    private void assertUser(String namespace) {
        String password = passwords.get(namespace);
        boolean done = password != null
                && store.ask(
                        () -> {
                            store.admin().setUser(TenantEndpoint.user(namespace), rules.apply(namespace, password));
                            return true;
                        },
                        away -> false);
        if (done) {
            asserted.add(namespace);
        }
    }
}
