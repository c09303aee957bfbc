package dev.quiver.controller.store;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Function;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.keyspace.KeyspaceHealth;
import dev.quiver.lifecycle.keyspace.KeyspaceHealth.Observation;
import dev.quiver.lifecycle.keyspace.StaleLeaderException;
import dev.quiver.lifecycle.keyspace.StoreChange;
import dev.quiver.lifecycle.keyspace.StoreFacts;
import dev.quiver.lifecycle.keyspace.StoreLoss;
import dev.quiver.lifecycle.redis.StoreException;
import dev.quiver.lifecycle.redis.StoreRefusedException;

/**
 * Notices that a keyspace was emptied or rewound, even when the connection to Redis never broke. A record is written
 * after the calls of the listeners, so a crash in between calls them again. One thread at a time for each keyspace.
 */
public final class KeyspaceWatch {

    private static final Logger log = LoggerFactory.getLogger(KeyspaceWatch.class);

    private final Function<Keyspace, KeyspaceHealth> health;
    private final KeyspaceStates states;
    private final KeyspaceRecords records;
    private final List<BiConsumer<Keyspace, StoreChange>> onLoss = new CopyOnWriteArrayList<>();

    /**
     * Compares with those records.
     *
     * @param health the identity of a keyspace, under the leader's present term
     * @param states those of keyspaces
     */
    public KeyspaceWatch(Function<Keyspace, KeyspaceHealth> health, KeyspaceStates states, KeyspaceRecords records) {
        this.health = health;
        this.states = states;
        this.records = records;
    }

    /** Called with a keyspace that lost all or some of its past. */
    public void onLoss(BiConsumer<Keyspace, StoreChange> listener) {
        onLoss.add(listener);
    }

    /** Looks at a keyspace. */
    public void look(Keyspace keyspace) {
        look(keyspace, records.of(keyspace));
    }

    private void look(Keyspace keyspace, Optional<StoreFacts> known) {
        Observation seen = health.apply(keyspace).observe(known);
        switch (seen.change()) {
            case StoreChange.Empty _, StoreChange.Rewound _ -> {
                log.warn("keyspace {} {}", keyspace.prefix(), seen.change());
                onLoss.forEach(l -> l.accept(keyspace, seen.change()));
            }
            case StoreChange.Restarted _ ->
                log.info("keyspace {}: another Redis process serves it now", keyspace.prefix());
            case StoreChange.Same _ -> {}
        }
        records.keep(keyspace, seen.facts());
    }

    /**
     * Advances the keyspace's beat. This may be the first call that reaches a store with another past. So its answer is
     * recorded only if it follows the last record.
     */
    public void beat(Keyspace keyspace) {
        Optional<StoreFacts> expected = records.of(keyspace).map(StoreFacts::advanced);
        if (expected.isEmpty()) {
            look(keyspace);
            return;
        }
        StoreFacts now;
        try {
            now = health.apply(keyspace).beat();
        } catch (StoreRefusedException no) {
            if (no.passing()) {
                throw no;
            }
            // The keyspace has lost its epoch since, or is refused altogether.
            look(keyspace);
            return;
        }
        if (StoreLoss.decide(expected, Optional.of(now)) instanceof StoreChange.Same) {
            records.keep(keyspace, now);
        } else {
            look(keyspace, expected);
        }
    }

    /**
     * Takes back a keyspace that claims a later leader; its state is a refusal until a look at it succeeds. Only for a
     * leader that has verified, after a refusal, that it holds the Lease.
     */
    public void retake(StaleLeaderException e) {
        states.refused(
                e.keyspace(),
                new StoreRefusedException(
                        StoreRefusedException.Kind.OTHER,
                        e.keyspace().meta() + " names term " + e.seen()
                                + ", which no leader has written; this one's is " + e.own()
                                + ", and the keyspace is taken back.",
                        e));
        try {
            health.apply(e.keyspace()).retake(e.seen());
        } catch (StoreException away) {
            log.debug("keyspace {} is not taken back yet", e.keyspace().prefix(), away);
        }
    }
}
