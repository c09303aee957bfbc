package dev.quiver.supervisor.engine;

/** What the engine counts; the words are the metric's name and help. */
public enum Counter {
    /** Tasks claimed. */
    CLAIMED("tasks.claimed", "Tasks claimed from Redis"),
    /** Tasks taken over. */
    ADOPTED("tasks.adopted", "Running tasks taken over from the supervisor before"),
    /** Passed trials that Redis counted. */
    PASSED("tasks.passed", "Passed trials that Redis counted"),
    /** Failed trials that Redis counted. */
    FAILED("tasks.failed", "Failed trials that Redis counted"),
    /** Runs that lost their executor. */
    LOST("tasks.lost", "Runs whose executor died under them"),
    /** Tasks given back. */
    RETURNED("tasks.returned", "Tasks given back without using a trial"),
    /** Tasks of sets that had ended. */
    CANCELLED("tasks.cancelled", "Tasks stopped because their set had ended"),
    /** Results of a condemned session. */
    REFUSED("tasks.refused", "Results refused because the session was condemned"),
    /** Settlements whose effect an earlier call had. */
    ALREADY("tasks.already.settled", "Settlements that an earlier call had counted"),
    /** Steps answered. */
    STEPS("steps", "Settle-and-claim calls that Redis answered"),
    /** Calls sent again. */
    RETRIES("store.retries", "Calls that got no answer and were sent again"),
    /** Sets asked for. */
    PICKS("picks", "Times that the pool was asked for a set"),
    /** Tokens of the wake list. */
    WAKE_UPS("wake.ups", "Times that the wake list had a token for this pod"),
    /** Sessions opened. */
    SESSIONS("sessions.opened", "Sessions opened"),
    /** Rules broken by the user's side. */
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
