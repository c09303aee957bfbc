package dev.quiver.controller.tenancy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.client.KubernetesClientException;

import dev.quiver.controller.kube.ApiRefusal;
import dev.quiver.controller.store.StoreAdmin;
import dev.quiver.crds.v1alpha1.Quiver;

/**
 * The access of one kind of a namespace's programs to Redis: its Secret and, with {@link Tenancy#ACL}, its user. The
 * Secret is the only memory of the password. Thread-safe, with one thread at a time for each namespace in {@link #ensure}
 * and {@link #release}.
 */
final class TenantAccess {

    private static final Duration RECHECK = Duration.ofSeconds(60);
    private static final Duration RECHECK_REFUSED = Duration.ofSeconds(5);
    /** The wait until a reconcile tries a server again that was not reached. */
    private static final Duration TELL_AGAIN = Duration.ofSeconds(4);

    /**
     * A kind of programs.
     *
     * @param secret its Secret in each namespace
     * @param user the name of its Redis user by the namespace
     * @param rules the ACL of its user
     * @param withoutFunctions whether it can do anything where scripts are not called as functions
     * @param authorities file with the certificates that it trusts at history, which its Secret carries
     */
    record Role(
            String secret,
            UnaryOperator<String> user,
            Tenants.Rules rules,
            boolean withoutFunctions,
            Optional<Path> authorities) {}

    private final Role role;
    private final Tenants.Settings settings;
    private final TenantSecret secrets;
    private final RedisUsers users;
    private final Clock clock;
    private final Map<String, Instant> checked = new ConcurrentHashMap<>();
    private final Map<String, String> passwords = new ConcurrentHashMap<>();
    private final Map<String, String> objections = new ConcurrentHashMap<>();
    private final Set<String> encrypted = ConcurrentHashMap.newKeySet();
    private final Set<String> asserted = ConcurrentHashMap.newKeySet();
    /** Namespaces whose user some server does not have yet, with the time of the last try. */
    private final Map<String, Instant> partly = new ConcurrentHashMap<>();

    /** Begins with no namespace ensured. */
    TenantAccess(Role role, Tenants.Settings settings, TenantSecret secrets, RedisUsers users, Clock clock) {
        this.role = role;
        this.settings = settings;
        this.secrets = secrets;
        this.users = users;
        this.clock = clock;
        // A Redis that was away may have forgotten its users.
        users.watch().onUp(() -> {
            asserted.clear();
            partly.clear();
        });
    }

    /**
     * The time until a namespace is checked again, so that a lost Secret comes back. The time is shorter while the
     * Secret is missing, or while a server could not be given the user.
     */
    Duration recheck(String namespace) {
        return objections.containsKey(namespace) || partly.containsKey(namespace) ? RECHECK_REFUSED : RECHECK;
    }

    /** The fault of the namespace's access to Redis, as of the last {@link #ensure}. */
    Optional<String> problem(String namespace) {
        return Optional.ofNullable(objections.get(namespace));
    }

    /**
     * Makes the namespace's Secret and its user if they are missing. Cheap when both were seen just now. {@link
     * #problem} reports an obstacle; other failures of the API server are thrown.
     */
    void ensure(String namespace) {
        Instant now = clock.instant();
        Instant last = checked.get(namespace);
        if (last == null
                || !last.plus(objections.containsKey(namespace) ? RECHECK_REFUSED : RECHECK)
                        .isAfter(now)) {
            ensureSecret(namespace)
                    .ifPresentOrElse(no -> objections.put(namespace, no), () -> objections.remove(namespace));
            checked.put(namespace, now);
        }
        if (settings.tenancy() == Tenancy.ACL && !asserted.contains(namespace)) {
            assertUser(namespace, now);
        }
    }

    /** Whether workers of that namespace use TLS to Redis, as of the last look. */
    boolean encrypted(String namespace) {
        return encrypted.contains(namespace);
    }

    /** Removes the user of a namespace; its Secret stays and serves again when a pool comes back. */
    void release(String namespace) {
        checked.remove(namespace);
        asserted.remove(namespace);
        partly.remove(namespace);
        objections.remove(namespace);
        if (settings.tenancy() == Tenancy.ACL) {
            users.calls().tryRun(() -> users.admin().removeUser(role.user().apply(namespace)));
        }
    }

    private Optional<String> ensureSecret(String namespace) {
        try {
            return agreeOnSecret(namespace);
        } catch (IOException e) {
            return Optional.of("the way to Redis for this namespace cannot be read: " + e.getMessage());
        } catch (KubernetesClientException e) {
            return Optional.of("Secret " + role.secret() + " cannot be made or brought up to date: "
                    + ApiRefusal.of(e).orElseThrow(() -> e).message());
        }
    }

    private Optional<String> agreeOnSecret(String namespace) throws IOException {
        Optional<Map<String, String>> present = secrets.read(namespace);
        Optional<Map<String, String>> wanted = wanted(namespace, present);
        if (wanted.isEmpty() && present.isEmpty()) {
            return Optional.of("no Secret is named for this namespace: add it to the chart's tenancy.secrets as "
                    + namespace + ", or make Secret " + role.secret() + " here");
        }
        Map<String, String> files = new HashMap<>(wanted.or(() -> present).orElseThrow());
        if (role.authorities().isPresent()) {
            // Empty and not left out: server-side apply takes away no key that another manager has made.
            Path file = role.authorities().get();
            files.put(Quiver.HISTORY_AUTHORITIES, Files.exists(file) ? Files.readString(file) : "");
        }
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
                yield Optional.of(TenantEndpoint.as(settings.own(), role.user().apply(namespace), password));
            }
        };
    }

    private void assertUser(String namespace, Instant now) {
        Instant last = partly.get(namespace);
        String password = passwords.get(namespace);
        if (password == null || last != null && last.plus(TELL_AGAIN).isAfter(now)) {
            return;
        }
        partly.remove(namespace);
        // Noted first: a Redis that comes back during the call may forget the user.
        asserted.add(namespace);
        boolean everywhere = users.calls().ask(() -> setUser(namespace, password), away -> {
            asserted.remove(namespace);
            return true;
        });
        if (!everywhere) {
            asserted.remove(namespace);
            partly.put(namespace, now);
        }
    }

    /** Sets the user; false when a server was not reached, and while the rights that the user needs are not known. */
    private boolean setUser(String namespace, String password) {
        StoreAdmin.Lua lua = users.admin().lua();
        if (lua == StoreAdmin.Lua.SCRIPTS && !role.withoutFunctions()) {
            return users.admin().removeUser(role.user().apply(namespace));
        }
        return lua != StoreAdmin.Lua.UNKNOWN
                && users.admin()
                        .setUser(
                                role.user().apply(namespace),
                                role.rules()
                                        .of(namespace, password, users.admin().calls()));
    }
}
