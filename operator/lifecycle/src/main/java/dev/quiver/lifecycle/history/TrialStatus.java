package dev.quiver.lifecycle.history;

/** The outcome of one trial, in the words of the seed, then ours. The order is part of the format: append only. */
public enum TrialStatus {
    /** Exit code 0, or the handler returned. */
    PASSED,
    /** The program reported that the test is not to count. */
    PENDING,
    /** The program reported a failure. */
    FAILED,
    /** It could not be started, or ended in a way that is no outcome. */
    ERROR,
    /** It exceeded its time limit. */
    TIMEOUT,
    /** Its worker or its executor died under it; no trial was used. */
    LOST,
    /** It was called off, or its run ended first; no trial was used. */
    CANCELLED;

    private static final TrialStatus[] ALL = values();

    static TrialStatus of(int code) throws MalformedEntryException {
        if (code >= ALL.length) {
            throw MalformedEntryException.newer("no status has the number " + code);
        }
        return ALL[code];
    }

    /** The word of the API, lower case. */
    public String word() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
