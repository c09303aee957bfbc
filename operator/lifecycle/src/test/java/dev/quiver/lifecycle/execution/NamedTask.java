package dev.quiver.lifecycle.execution;

import java.time.Duration;
import java.util.Optional;

/** A task of three trials that is never run: a name for claims and settlements. */
public record NamedTask(String id, String name, int trial, boolean wantsResult, boolean mayBeBlocked)
        implements RunnableTask {

    /** One that waits for no resource. */
    public NamedTask(String id, String name, int trial, boolean wantsResult) {
        this(id, name, trial, wantsResult, false);
    }

    /** One whose result nobody wants. */
    public NamedTask(String id, String name, int trial) {
        this(id, name, trial, false);
    }

    /** As of a Task's function, which knows resources, too. */
    @Override
    public boolean takesEffects() {
        return mayBeBlocked;
    }

    @Override
    public int maxTrials() {
        return 3;
    }

    @Override
    public Optional<Duration> timeLimit() {
        return Optional.empty();
    }

    @Override
    public Optional<String> handler() {
        return Optional.empty();
    }

    @Override
    public TaskInvocation render(SlotFacts facts) {
        throw new UnsupportedOperationException("nothing runs " + name);
    }
}
