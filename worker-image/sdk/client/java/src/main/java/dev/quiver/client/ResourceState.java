package dev.quiver.client;

import java.time.Instant;
import java.util.Optional;

import dev.quiver.lifecycle.task.model.Permits;
import dev.quiver.lifecycle.task.scheduling.Resources;

/**
 * The state of a resource of a pool.
 *
 * @param name of the resource, or a pattern
 * @param missing whether jobs that name it wait
 * @param since when it is missing; absent where it is there, or never was
 * @param waiting jobs that wait for it, and for none that they name before it
 * @param closedBy an owner that has closed it or its pattern
 * @param declared whether the WorkerPool declares it or its pattern
 * @param permits how many jobs may run with it at a time; absent: any number
 * @param used permits that jobs hold
 */
public record ResourceState(
        String name,
        boolean missing,
        Optional<Instant> since,
        long waiting,
        Optional<String> closedBy,
        boolean declared,
        Optional<Integer> permits,
        long used) {

    static ResourceState of(Resources.State state) {
        return new ResourceState(
                state.name(),
                state.missing(),
                state.since(),
                state.waiting(),
                state.closedBy(),
                state.declared(),
                state.permits().map(Permits::most),
                state.permits().map(Permits::used).orElse(0L));
    }
}
