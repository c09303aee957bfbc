package dev.quiver.lifecycle.worker;

import java.util.Optional;

import dev.quiver.lifecycle.execution.RunnableTask;

/**
 * One source of work as one session sees it: a TaskSet, the chunks of a job, the pool's queue of Tasks. Holds what the
 * claims of this source need to become {@link RunnableTask}s, so keep it only while the session works at the source.
 * Thread-safe.
 */
public interface WorkSource {

    /** Its name in the pool's order; what {@link WorkerSession#pick} answers. */
    String id();

    /**
     * The handler without which no task of it can run here; absent where tasks need none or differ: then each claim says
     * its own, and a step passes over what is not served.
     */
    Optional<String> handler();

    /**
     * The most tasks that its specification wants in one hand-over to a handler, 1 to 64; absent: the worker goes by
     * their run time.
     */
    default Optional<Integer> batch() {
        return Optional.empty();
    }

    /**
     * Prepares a step: settles tasks held of this source and claims up to as many as there are places. Nothing is sent yet.
     *
     * @throws IllegalStateException while another step of this source has no known outcome: run that one first
     */
    StepCall prepare(StepRequest request);
}
