package dev.quiver.supervisor.engine.slots;

/** Why a running task was called off, for the record. */
public enum StopReason {
    /** Its run is over: it was cancelled, failed, or exceeded its deadline. */
    RUN_ENDED("RunEnded", "the run ended first"),
    /** Its run was suspended. */
    SUSPENDED("Suspended", "the run was suspended"),
    /** The task itself, or what it belongs to within its run, was cancelled or suspended; or a resource of it has gone. */
    CALLED_OFF("CalledOff", "the task was cancelled or suspended, or lost a resource"),
    /** Another worker, which ran it at the same time, finished it first. */
    SUPERSEDED("Superseded", "another worker finished the task first"),
    /** Its worker is to end and waits no longer. */
    DRAINED("Drained", "the worker was drained"),
    /** Its session is no more; nobody takes the record. */
    FENCED("Fenced", "the session is no more");

    private final String word;
    private final String sentence;

    StopReason(String word, String sentence) {
        this.word = word;
        this.sentence = sentence;
    }

    /** One PascalCase word. */
    public String word() {
        return word;
    }

    /** For people. */
    public String sentence() {
        return sentence;
    }
}
