package dev.quiver.slots;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

import dev.quiver.slots.linux.Futex;

/**
 * How one thread sleeps until executors ring, somebody in this process {@linkplain #call calls} it, or time is up. No
 * call is lost: it changes a word of ours, on which the sleeper waits together with the bell.
 *
 * <p>A kernel that cannot wait on two words has the sleeper wait on the bell alone, which only executors can change. A
 * caller wakes those who sleep there until it hit one. If that was a stranger, the sleeper learns of the call when its
 * time is up.
 */
final class DoorbellWait {
    private static final VarHandle WORD = JAVA_INT.varHandle();
    private static final int AWAKE = 0;
    private static final int ASLEEP = 1;
    private static final int CALLED = 2;

    /**
     * A bell that may ring.
     *
     * @param count what it showed when the sleeper last looked at the slots
     */
    record Bell(MemorySegment word, int count) {
        boolean rung() {
            return (int) WORD.getVolatile(word, 0L) != count;
        }
    }

    private final MemorySegment word = Arena.ofAuto().allocate(JAVA_INT);
    private final Optional<Futex.Pair> pair;
    private volatile Optional<Bell> alone = Optional.empty(); // a bell on which the sleeper waits without our word

    /** With the means given; without a pair of words it is the bell alone. */
    DoorbellWait(Optional<Futex.Pair> pair) {
        this.pair = pair;
    }

    /** Whether a call ends every sleep, whoever else waits for the bell. */
    boolean hearsCalls() {
        return pair.isPresent();
    }

    /**
     * Sleeps, for the one thread that does; returns whether this process itself ended the sleep, or kept it off.
     *
     * @param bell what may ring; absent where only calls count
     * @param stay asked when every later call is sure to be noticed: false if there is something to do already
     */
    boolean sleep(Optional<Bell> bell, Duration time, BooleanSupplier stay) {
        alone = pair.isPresent() ? Optional.empty() : bell;
        WORD.setVolatile(word, 0L, ASLEEP);
        boolean stays = stay.getAsBoolean();
        if (stays) {
            lieDown(bell, time);
        }
        return (int) WORD.getAndSet(word, 0L, AWAKE) == CALLED || !stays;
    }

    private void lieDown(Optional<Bell> bell, Duration time) {
        if (bell.isEmpty()) {
            Futex.await(word, ASLEEP, time);
            return;
        }
        MemorySegment rings = bell.get().word();
        int count = bell.get().count();
        if (pair.isPresent()) {
            int ignored = pair.get().await(word, ASLEEP, rings, count, time);
        } else if ((int) WORD.getVolatile(word, 0L) == ASLEEP) {
            Futex.await(rings, count, time);
        }
    }

    /**
     * Ends the sleep, or keeps the sleeper from lying down. From any thread but the sleeper's; costs one read while
     * nobody sleeps.
     */
    void call() {
        if ((int) WORD.getVolatile(word, 0L) != ASLEEP || !WORD.compareAndSet(word, 0L, ASLEEP, CALLED)) {
            return;
        }
        Futex.wakeAll(word);
        alone.ifPresent(this::callByBell);
    }

    /** It may have looked at our word and not yet lain down; it does not once the bell has moved. */
    private void callByBell(Bell bell) {
        while ((int) WORD.getVolatile(word, 0L) == CALLED && !bell.rung() && Futex.wakeAll(bell.word()) == 0) {
            Thread.yield();
        }
    }
}
