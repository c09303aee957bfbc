package dev.quiver.bench;

/** One benchmark: answers one question. Runs alone; may be run again. */
public interface Bench {

    /** The name by which it is asked for, one lower-case word. */
    String name();

    /** What it finds out, as one line for a person. */
    String question();

    /**
     * Measures. Starts what it needs through {@code lab} and ends it before it returns.
     *
     * @throws MissingPartException if the machine lacks something, named in the message
     */
    Report run(Lab lab) throws Exception;
}
