package dev.quiver.controller.store;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.Keyspace;
import dev.quiver.lifecycle.KeyspaceHealth.Observation;
import dev.quiver.lifecycle.StoreVerdict;

/**
 * Notices that a keyspace was emptied or rewound, even when the connection to Redis never broke. Facts are kept after
 * the listeners were told, so a crash in between tells them again. One thread at a time for each keyspace.
 */
public final class KeyspaceWatch {

    private static final Logger log = LoggerFactory.getLogger(KeyspaceWatch.class);

    private final Store store;
    private final KeptFacts facts;
    private final List<BiConsumer<Keyspace, StoreVerdict>> onLoss = new CopyOnWriteArrayList<>();

    /** Compares with those facts. */
    public KeyspaceWatch(Store store, KeptFacts facts) {
        this.store = store;
        this.facts = facts;
    }

    /** Told of a keyspace that lost all or some of its past. */
    public void onLoss(BiConsumer<Keyspace, StoreVerdict> listener) {
        onLoss.add(listener);
    }

    /** Looks at a keyspace. */
    public void look(Keyspace keyspace) {
        Observation seen = store.health(keyspace).observe(facts.of(keyspace));
        switch (seen.verdict()) {
            case StoreVerdict.Empty _, StoreVerdict.Rewound _ -> {
                log.warn("keyspace {} {}", keyspace.prefix(), seen.verdict());
                onLoss.forEach(l -> l.accept(keyspace, seen.verdict()));
            }
            case StoreVerdict.Restarted _ -> log.info("keyspace {} another Redis process serves it", keyspace.prefix());
            case StoreVerdict.Same _ -> {}
        }
        facts.keep(keyspace, seen.facts());
    }

    /** Moves the keyspace's beat on. */
    public void beat(Keyspace keyspace) {
        facts.keep(keyspace, store.health(keyspace).beat());
    }
}
