package dev.quiver.controller.store;

import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.redis.StoreRefusedException;

/**
 * Whether each keyspace can be used: Redis may answer, and refuse one of them alone. Calls listeners once when that
 * changes. Thread-safe.
 */
public final class KeyspaceStates {

    private static final Logger log = LoggerFactory.getLogger(KeyspaceStates.class);

    private final StoreWatch watch;
    private final Clock clock;
    private final List<Consumer<Keyspace>> onChange = new CopyOnWriteArrayList<>();
    private final Map<Keyspace, StoreState.Away> refusals = new ConcurrentHashMap<>();
    /** When a refused keyspace could be used again. */
    private final Map<Keyspace, Instant> accepted = new ConcurrentHashMap<>();

    /** Knows of no refusal. */
    public KeyspaceStates(StoreWatch watch, Clock clock) {
        this.watch = watch;
        this.clock = clock;
    }

    /** Whether a keyspace can be used, as of the last look at Redis and at the keyspace. */
    public StoreState of(Keyspace keyspace) {
        StoreState whole = watch.state();
        StoreState.Away refused = refusals.get(keyspace);
        if (!(whole instanceof StoreState.Up(Instant since))) {
            return whole;
        }
        if (refused != null) {
            return refused;
        }
        Instant again = accepted.get(keyspace);
        return again != null && again.isAfter(since) ? new StoreState.Up(again) : whole;
    }

    /**
     * Notes that Redis refuses calls to a keyspace until a person helps. That is no outage for the others: a tenant
     * that may write to the keyspace can cause it.
     */
    void refused(Keyspace keyspace, StoreRefusedException no) {
        StoreState.Away before = refusals.get(keyspace);
        if (before == null || !before.message().equals(no.getMessage())) {
            refusals.put(keyspace, new StoreState.Away(clock.instant(), StoreWatch.reason(no), no.getMessage()));
            log.warn("keyspace {} cannot be used: {}", keyspace.prefix(), no.getMessage());
            onChange.forEach(l -> l.accept(keyspace));
        }
    }

    /** Notes a look at a keyspace without a refusal. */
    void accepted(Keyspace keyspace) {
        if (refusals.containsKey(keyspace)) {
            accepted.put(keyspace, clock.instant());
            refusals.remove(keyspace);
            log.info("keyspace {} can be used", keyspace.prefix());
            onChange.forEach(l -> l.accept(keyspace));
        }
    }

    /** Forgets the states of all other keyspaces: tenants may name new ones for ever. */
    void forgetBut(Set<Keyspace> asked) {
        refusals.keySet().retainAll(asked);
        accepted.keySet().retainAll(asked);
    }

    /** Called with a keyspace that Redis begins to refuse, refuses for another reason, or no longer refuses. */
    public void onChange(Consumer<Keyspace> listener) {
        onChange.add(listener);
    }
}
