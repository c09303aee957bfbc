package dev.quiver.supervisor.engine.session;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.StepRequest;
import dev.quiver.lifecycle.worker.WorkSource;

/**
 * A claim that waits for the wake token of its source, with permits and places. The thread that reads the token sends it
 * at once, and the engine's thread is woken by its answer only. Either it is sent or the engine withdraws it; both at a
 * time end with one of them.
 */
final class ArmedClaim {

    private enum State {
        READY,
        SENT,
        WITHDRAWN
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.READY);
    private final WorkSource source;
    private final StepRequest request;
    private final Consumer<StepCall> sender;

    /**
     * One that is ready.
     *
     * @param sender sends the step, on the thread that read the token
     */
    ArmedClaim(WorkSource source, StepRequest request, Consumer<StepCall> sender) {
        this.source = source;
        this.request = request;
        this.sender = sender;
    }

    /** A token named this source: sends the claim if it is the one; from any thread. */
    boolean fire(String uid) {
        boolean fires = uid.equals(source.id()) && state.compareAndSet(State.READY, State.SENT);
        if (fires) {
            sender.accept(source.prepare(request));
        }
        return fires;
    }

    /** It shall not be sent any more; false if it was. */
    boolean withdraw() {
        return state.compareAndSet(State.READY, State.WITHDRAWN);
    }
}
