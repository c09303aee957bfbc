package dev.quiver.slots.rig;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** How long a test waits for what must come: it ends one that hangs, and says nothing about how quick anything is. */
public final class Patience {
    public static final Duration LIMIT = Duration.ofMinutes(3);

    /** The drain time of a worker that must leave before it is over: nobody here waits for as long. */
    public static final String LONG_DRAIN_SECONDS = "3600";

    private Patience() {}

    public static ConditionFactory await() {
        return Awaitility.await().atMost(LIMIT);
    }

    /** The same; what is awaited is said when it does not come. */
    public static ConditionFactory await(String what) {
        return Awaitility.await(what).atMost(LIMIT);
    }
}
