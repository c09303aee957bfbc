package dev.quiver.supervisor.engine.store;

/** The engine's counters. The first word of each is its metric's name, the second says what it is. */
public enum Counter {
    CLAIMED("tasks.claimed", "Tasks claimed from Redis"),
    ADOPTED("tasks.adopted", "Running tasks taken over from the supervisor before"),
    PASSED("tasks.passed", "Passed trials that Redis counted"),
    FAILED("tasks.failed", "Failed trials that Redis counted"),
    LOST("tasks.lost", "Runs whose executor died under them"),
    RETURNED("tasks.returned", "Tasks given back without using a trial"),
    CANCELLED("tasks.cancelled", "Tasks stopped because their set had ended"),
    REFUSED("tasks.refused", "Results refused because the session was fenced"),
    ALREADY("tasks.already.settled", "Settlements that an earlier call had counted"),
    STEPS("steps", "Settle-and-claim calls that Redis answered"),
    RETRIES("store.retries", "Calls that got no answer and were sent again"),
    PICKS("picks", "Times that the pool was asked for a set"),
    WAKE_UPS("wake.ups", "Times that the wake list had a token for this pod"),
    SESSIONS("sessions.opened", "Sessions opened"),
    VIOLATIONS("violations", "Violations of the slots' protocol by the user's side");

    private final String metric;
    private final String help;

    Counter(String metric, String help) {
        this.metric = metric;
        this.help = help;
    }

    /** Dotted name without prefix. */
    public String metric() {
        return metric;
    }

    /** One line for people. */
    public String help() {
        return help;
    }
}
