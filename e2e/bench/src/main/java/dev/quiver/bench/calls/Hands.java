package dev.quiver.bench.calls;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;

import dev.quiver.bench.quiver.NoopHandler;
import dev.quiver.slots.Assignment;
import dev.quiver.slots.Dispatch;
import dev.quiver.slots.HandlerCall;
import dev.quiver.slots.SlotBoard;
import dev.quiver.slots.SlotEvent;

/**
 * Gives every slot the next task as soon as the slot is ready, until {@link #rest}. Called on the board's thread, read
 * by others.
 */
final class Hands implements BiConsumer<SlotBoard, SlotEvent> {

    private static final Assignment TASK = Assignment.of("bench", HandlerCall.of(NoopHandler.FUNCTION));

    private final boolean[] worked;
    private final AtomicReference<Optional<Object>> fault = new AtomicReference<>(Optional.empty());
    private int idle;
    private volatile boolean allWorked;
    private volatile boolean resting;
    private volatile long done;

    Hands(int slots) {
        worked = new boolean[slots];
        idle = slots;
    }

    /** Tasks that have passed so far. */
    long done() {
        failOnFault();
        return done;
    }

    /** Whether each slot has finished one task: its handler is there and warm. */
    boolean allHaveWorked() {
        failOnFault();
        return allWorked;
    }

    /** From now on no task is dispatched, and the slots' results are ignored. */
    void rest() {
        failOnFault();
        resting = true;
    }

    private void failOnFault() {
        fault.get().ifPresent(what -> {
            throw new IllegalStateException("slots alone: " + what);
        });
    }

    @Override
    public void accept(SlotBoard board, SlotEvent event) {
        if (resting) {
            return;
        }
        switch (event) {
            case SlotEvent.Ready(int slot) -> {
                Dispatch dispatch = board.dispatch(slot, TASK);
                if (!(dispatch instanceof Dispatch.Accepted)) {
                    fault.set(Optional.of(dispatch));
                }
            }
            case SlotEvent.Finished(var result)
            when result.passed() -> {
                board.acknowledge(result.slot(), result.generation());
                count(result.slot());
            }
            case SlotEvent.AgentArrived _, SlotEvent.HandlersAnnounced _ -> {}
            default -> fault.set(Optional.of(event));
        }
    }

    @SuppressWarnings("NonAtomicOperationOnVolatileField") // the board's thread is the only writer
    private void count(int slot) {
        done++;
        if (!worked[slot]) {
            worked[slot] = true;
            allWorked = --idle == 0;
        }
    }
}
