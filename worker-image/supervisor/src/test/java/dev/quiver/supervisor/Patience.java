package dev.quiver.supervisor;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** How long a test waits for what must come: it ends one that hangs, and says nothing about how quick anything is. */
public final class Patience {

    /** Of one wait. */
    public static final Duration LIMIT = Duration.ofMinutes(3);

    private Patience() {}

    /** A wait that looks often enough for a test to be quick. */
    public static ConditionFactory await() {
        return Awaitility.await().atMost(LIMIT).pollInterval(Duration.ofMillis(50));
    }
}
