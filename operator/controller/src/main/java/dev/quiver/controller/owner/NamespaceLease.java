package dev.quiver.controller.owner;

import java.net.HttpURLConnection;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;

import dev.quiver.controller.owner.NamespaceLeases.Times;
import dev.quiver.crds.v1alpha1.Quiver;
import dev.quiver.lifecycle.text.PrintableText;

/**
 * The Lease of one namespace. Times of other machines are never compared with the own clock. A Lease lapses when this
 * process has seen no change of it for long enough. For one thread at a time.
 */
final class NamespaceLease {

    /** The Lease's name in each namespace. */
    static final String NAME = "quiver-namespace";

    /** On the Lease: the name of an installation that watches the namespace as well, and when it last looked. */
    static final String SECOND = "quiver.dev/also-watched-by";

    private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
    private static final int TRIES = 4;
    private static final int MAX_NAME_CHARS = 320;

    private final KubernetesClient client;
    private final String namespace;
    private final String installation;
    private final Times times;
    private final Unchanged holder = new Unchanged();
    private final Unchanged second = new Unchanged();
    private Instant signed = Instant.MIN;

    NamespaceLease(KubernetesClient client, String namespace, String installation, Times times) {
        this.client = client;
        this.namespace = namespace;
        this.installation = installation;
        this.times = times;
    }

    String namespace() {
        return namespace;
    }

    /** Takes or renews the Lease, or finds that another holds it. */
    Standing claim(Instant now) {
        for (int i = 1; ; i++) {
            try {
                Lease lease =
                        client.leases().inNamespace(namespace).withName(NAME).get();
                if (lease == null) {
                    create(now);
                    return new Standing.Ours(Optional.empty());
                }
                return claim(lease, now);
            } catch (KubernetesClientException e) {
                // Another wrote between reading and writing.
                if (e.getCode() != HttpURLConnection.HTTP_CONFLICT || i == TRIES) {
                    throw e;
                }
            }
        }
    }

    private Standing claim(Lease lease, Instant now) {
        String present = text(lease.getSpec() == null ? null : lease.getSpec().getHolderIdentity());
        if (present.equals(installation)) {
            renew(lease, now, 0);
            return new Standing.Ours(seen(lease, now));
        }
        boolean lapsed = holder.lasts(present + " " + renewed(lease), now).compareTo(times.lapse()) >= 0;
        if (present.isEmpty() || lapsed) {
            renew(lease, now, 1);
            return new Standing.Ours(Optional.empty());
        }
        sign(now);
        return new Standing.Others(PrintableText.line(present, MAX_NAME_CHARS));
    }

    /** The installation that left its name, as long as it renews it. */
    private Optional<String> seen(Lease lease, Instant now) {
        String sign = Optional.ofNullable(lease.getMetadata().getAnnotations())
                .map(all -> all.get(SECOND))
                .orElse("");
        boolean old = second.lasts(sign, now).compareTo(times.lapse()) >= 0;
        String name = sign.split(" ", 2)[0];
        return name.isEmpty() || name.equals(installation) || old
                ? Optional.empty()
                : Optional.of(PrintableText.line(name, MAX_NAME_CHARS));
    }

    private void create(Instant now) {
        client.resource(new LeaseBuilder()
                        .withNewMetadata()
                        .withName(NAME)
                        .withNamespace(namespace)
                        .addToLabels(Quiver.MANAGED_BY_LABEL, Quiver.MANAGED_BY)
                        .endMetadata()
                        .withNewSpec()
                        .withHolderIdentity(installation)
                        .withLeaseDurationSeconds(seconds())
                        .withRenewTime(time(now))
                        .withAcquireTime(time(now))
                        .withLeaseTransitions(0)
                        .endSpec()
                        .build())
                .create();
    }

    /** With the version that was read: a Lease that another took meanwhile is a conflict. */
    private void renew(Lease lease, Instant now, int transitions) {
        int before = Optional.ofNullable(lease.getSpec())
                .map(spec -> spec.getLeaseTransitions())
                .orElse(0);
        LeaseBuilder patch = new LeaseBuilder()
                .withNewMetadata()
                .withResourceVersion(lease.getMetadata().getResourceVersion())
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity(installation)
                .withLeaseDurationSeconds(seconds())
                .withRenewTime(time(now))
                .withLeaseTransitions(before + transitions)
                .endSpec();
        if (transitions > 0) {
            patch.editSpec().withAcquireTime(time(now)).endSpec();
        }
        patch(client.getKubernetesSerialization().asJson(patch.build()));
    }

    /** Leaves the own name for the owner to report, as often as a Lease is renewed. */
    private void sign(Instant now) {
        if (signed != Instant.MIN && signed.plus(times.renewal()).isAfter(now)) {
            return;
        }
        signed = now;
        patch(client.getKubernetesSerialization()
                .asJson(Map.of(
                        "metadata",
                        Map.of(
                                "annotations",
                                Map.of(SECOND, installation + " " + now.truncatedTo(ChronoUnit.SECONDS))))));
    }

    private void patch(String json) {
        client.leases().inNamespace(namespace).withName(NAME).patch(MERGE, json);
    }

    private int seconds() {
        return Math.toIntExact(Math.max(1, times.lapse().toSeconds()));
    }

    private static ZonedDateTime time(Instant now) {
        return now.truncatedTo(ChronoUnit.MICROS).atZone(ZoneOffset.UTC);
    }

    private static String renewed(Lease lease) {
        return lease.getSpec() == null || lease.getSpec().getRenewTime() == null
                ? ""
                : lease.getSpec().getRenewTime().toString();
    }

    private static String text(String text) {
        return text == null ? "" : text;
    }
}
