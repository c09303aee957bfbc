package dev.quiver.bench;

/** One benchmark: answers one question. Runs alone; may be run again. */
public interface Bench {

    /** The name of the benchmark on the command line, one lower-case word. */
    String name();

    /** The question that the benchmark answers, as one line for a person. */
    String question();

    /**
     * Measures. Starts the processes that it needs through {@code lab} and ends them before it returns.
     *
     * @throws MissingPartException if the machine lacks a part, named in the message
     */
    Report run(Lab lab) throws Exception;
}
