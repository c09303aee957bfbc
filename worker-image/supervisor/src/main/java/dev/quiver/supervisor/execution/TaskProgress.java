package dev.quiver.supervisor.execution;

/**
 * How far a running task is, by its own account.
 *
 * @param done units of its own, at least 0
 * @param total of them; 0 while not known
 */
public record TaskProgress(long done, long total) {

    /** One that reports nothing. */
    public static final TaskProgress NONE = new TaskProgress(0, 0);
}
