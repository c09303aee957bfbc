package dev.quiver.controller.owner;

import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.controller.kube.ApiRefusal;

/**
 * Holds a Lease in each namespace that this installation serves. A second installation does nothing there, and leaves
 * its name on the Lease, so that the owner can report it. A Lease that nobody has renewed for its whole time, by the
 * clock of the one that waits, is taken over. The replicas of an installation are one holder. An installation that may
 * not use Leases serves what it watches, as releases before this one did. Thread-safe.
 */
public final class NamespaceLeases {

    private static final Logger log = LoggerFactory.getLogger(NamespaceLeases.class);

    /**
     * Times of the Leases.
     *
     * @param lapse how long a Lease must stay without renewal until another takes it
     * @param renewal of an own Lease, and of the name on another's
     * @param recheck of another's Lease
     * @param unused a namespace without a reconcile for so long is given up
     */
    public record Times(Duration lapse, Duration renewal, Duration recheck, Duration unused) {
        /** 3 min, 1 min, 15 s, 10 min. */
        public static final Times USUAL =
                new Times(Duration.ofMinutes(3), Duration.ofMinutes(1), Duration.ofSeconds(15), Duration.ofMinutes(10));
    }

    private final KubernetesClient client;
    private final String installation;
    private final Times times;
    private final Clock clock;
    private final Map<String, Place> places = new ConcurrentHashMap<>();

    /**
     * Holds none yet.
     *
     * @param installation the same for all replicas, and for no other installation in the cluster
     */
    public NamespaceLeases(KubernetesClient client, String installation, Times times, Clock clock) {
        this.client = client;
        this.installation = installation;
        this.times = times;
        this.clock = clock;
    }

    /** The name of this installation. */
    public String installation() {
        return installation;
    }

    /** How long a namespace of another is left alone before its Lease is looked at again. */
    public Duration recheck() {
        return times.recheck();
    }

    /**
     * Whether this installation serves the namespace; takes it if no installation does. Cheap while the last answer is
     * fresh.
     *
     * @throws KubernetesClientException when the API server gave no answer for the time of a Lease
     */
    public Standing of(String namespace) {
        Place place = places.computeIfAbsent(
                namespace, name -> new Place(new NamespaceLease(client, name, installation, times)));
        return place.standing(clock.instant(), true);
    }

    /** Renews what is due, and gives up what nobody has asked for. One namespace that fails hinders no other. */
    public void renew() {
        Instant now = clock.instant();
        places.values().removeIf(place -> place.unused(now));
        for (Map.Entry<String, Place> place : places.entrySet()) {
            try {
                place.getValue().standing(now, false);
            } catch (KubernetesClientException e) {
                log.warn(
                        "Lease {} of namespace {} was not renewed: {}",
                        NamespaceLease.NAME,
                        place.getKey(),
                        ApiRefusal.message(e));
            }
        }
    }

    /** One namespace, and what is known of it. */
    private final class Place {
        private final NamespaceLease lease;
        private Optional<Standing> last = Optional.empty();
        private Instant answered = Instant.MIN;
        private Instant asked = Instant.MIN;
        private Instant used = Instant.MIN;

        Place(NamespaceLease lease) {
            this.lease = lease;
        }

        synchronized boolean unused(Instant now) {
            return used != Instant.MIN && used.plus(times.unused()).isBefore(now);
        }

        synchronized Standing standing(Instant now, boolean forUse) {
            if (forUse) {
                used = now;
            }
            Duration fresh =
                    last.filter(Standing.Others.class::isInstance).isPresent() ? times.recheck() : times.renewal();
            if (last.isPresent() && asked.plus(fresh).isAfter(now)) {
                return last.get();
            }
            asked = now;
            try {
                Standing present = lease.claim(now);
                report(present);
                answered = now;
                last = Optional.of(present);
                return present;
            } catch (KubernetesClientException e) {
                return withoutAnswer(e, now);
            }
        }

        private Standing withoutAnswer(KubernetesClientException e, Instant now) {
            if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
                if (last.isEmpty() && !ApiRefusal.namespaceGoes(e)) {
                    log.warn(
                            "Lease {} of namespace {} cannot be used, so two installations may both serve it: {}",
                            NamespaceLease.NAME,
                            lease.namespace(),
                            ApiRefusal.message(e));
                }
                last = Optional.of(last.orElseGet(() -> new Standing.Ours(Optional.empty())));
                return last.get();
            }
            if (last.isPresent() && answered.plus(times.lapse()).isAfter(now)) {
                return last.get();
            }
            last = Optional.empty();
            throw e;
        }

        private void report(Standing present) {
            boolean changed = !last.map(Object::getClass).equals(Optional.of(present.getClass()));
            if (changed && present instanceof Standing.Others(String holder)) {
                log.warn(
                        "namespace {} is served by installation {}, so this one, {}, does nothing there",
                        lease.namespace(),
                        holder,
                        installation);
            } else if (changed && last.isPresent()) {
                log.info("namespace {} is served by this installation from now on", lease.namespace());
            }
        }
    }
}
