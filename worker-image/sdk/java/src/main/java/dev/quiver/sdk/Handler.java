package dev.quiver.sdk;

/**
 * A function that runs one task at a time, in the thread that called {@link Handlers#serve}.
 *
 * <p>When the task is called off or out of time its thread is interrupted. The process is killed and replaced 50 ms
 * later, whether the thread reacted or not. An exception ends the trial, not the process: {@link RetryAfterException}
 * and {@link DoNotRetryException} say more than "it failed".
 */
@FunctionalInterface
public interface Handler {
    /** Runs the task. Its result is written before the task is complete; null is no output. */
    Output handle(Input input, Task task) throws Exception;
}
