package dev.quiver.controller.leader;

import java.util.Optional;
import java.util.function.LongSupplier;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;

/**
 * The number that fences this leader's writes: the Lease's {@code leaseTransitions}, which grows with each change of
 * the holder. Thread-safe.
 */
public final class LeaseTerm implements LongSupplier {

    /**
     * The Lease's count is an int32, and beyond it nobody could ever lead again. Leaders change once in days: a term as
     * high as this was written by somebody else, and following it would carry one keyspace's damage to all.
     */
    static final long HIGHEST = 1L << 30;

    private final KubernetesClient client;
    private final LeaseSettings settings;
    private volatile long term;

    /** Of that Lease; 0 before {@link #read}. */
    public LeaseTerm(KubernetesClient client, LeaseSettings settings) {
        this.client = client;
        this.settings = settings;
    }

    /** Reads the term of the leadership that was just acquired. */
    public void read() {
        term = held().map(LeaseTerm::transitions).orElse(0L);
    }

    /**
     * Redis has seen a higher term. If this process still holds the Lease, the Lease was deleted meanwhile and counts
     * from 0 again: its count is raised. Otherwise another leads. Any number of refusals of one term raise it once.
     *
     * @param refused the term that was refused; when it is no longer the present one, nothing is to be done
     * @param seen the highest term that the keyspace knows; one that no Lease can have counted to is not followed
     * @return whether this process leads on
     */
    public synchronized boolean raise(long refused, long seen) {
        if (refused < term) {
            return true;
        }
        Optional<Lease> lease = held();
        if (lease.isEmpty() || seen > HIGHEST) {
            return lease.isPresent();
        }
        long raised = Math.max(seen, Math.max(transitions(lease.get()), term)) + 1;
        client.leases()
                .inNamespace(settings.namespace())
                .withName(settings.name())
                .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"leaseTransitions\":" + raised + "}}");
        term = raised;
        return true;
    }

    @Override
    public long getAsLong() {
        return term;
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
