package dev.quiver.lifecycle.keyspace;

import java.util.Optional;

/** Distinguishes empty, rewound and restarted stores. Pure. */
public final class StoreLoss {

    private StoreLoss() {}

    /**
     * Compares the known facts with the present ones.
     *
     * @param known the facts that the operator kept; absent when it never saw this keyspace
     * @param seen the facts in Redis now; absent when the keyspace has no epoch
     */
    public static StoreChange decide(Optional<StoreFacts> known, Optional<StoreFacts> seen) {
        if (known.isEmpty()) {
            return new StoreChange.Same();
        }
        StoreFacts before = known.get();
        if (seen.isEmpty() || !seen.get().epoch().equals(before.epoch())) {
            return new StoreChange.Empty();
        }
        StoreFacts now = seen.get();
        if (now.beat() < before.beat()) {
            return new StoreChange.Rewound(before.beat() - now.beat());
        }
        boolean otherProcess = before.runId().isPresent()
                && now.runId().isPresent()
                && !before.runId().equals(now.runId());
        return otherProcess ? new StoreChange.Restarted() : new StoreChange.Same();
    }
}
