package dev.quiver.controller.owner;

import java.time.Duration;
import java.time.Instant;

/** How long a text has been seen unchanged, by the own clock. For one thread at a time. */
final class Unchanged {

    private String text = "";
    private Instant since = Instant.MIN;

    /** Notes the present text; returns for how long it has been the same. */
    Duration lasts(String present, Instant now) {
        if (since == Instant.MIN || !present.equals(text)) {
            text = present;
            since = now;
        }
        return Duration.between(since, now);
    }
}
