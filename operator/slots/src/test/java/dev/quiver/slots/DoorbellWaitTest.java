package dev.quiver.slots;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.quiver.slots.linux.Futex;

/** No call and no ring is slept through, with both words and with the bell alone. */
class DoorbellWaitTest {
    private static final VarHandle INT = JAVA_INT.varHandle();

    /** A sleeper for so long has missed something. */
    private static final Duration MISSED = Duration.ofSeconds(20);

    private static final int CALLS = 20_000;

    private final MemorySegment word = Arena.ofAuto().allocate(JAVA_INT);

    static Stream<Named<Optional<Futex.Pair>>> ways() {
        Named<Optional<Futex.Pair>> alone = Named.of("the bell alone", Optional.empty());
        return Futex.Pair.supported()
                .map(pair -> Stream.of(alone, Named.of("both words", Optional.of(pair))))
                .orElse(Stream.of(alone));
    }

    private DoorbellWait.Bell bell() {
        return new DoorbellWait.Bell(word, (int) INT.getVolatile(word, 0L));
    }

    private void ring() {
        int ignored = (int) INT.getAndAdd(word, 0L, 1);
        Futex.wakeAll(word);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aCallThatComesWhileTheSleeperLiesDownKeepsItUp(Optional<Futex.Pair> pair) {
        DoorbellWait wait = new DoorbellWait(pair);
        long begun = System.nanoTime();

        boolean ours = wait.sleep(Optional.of(bell()), MISSED, () -> {
            Thread.ofPlatform().start(wait::call);
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
            return true;
        });

        assertThat(ours).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(MISSED);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void withoutCallOrRingItSleepsForItsTime(Optional<Futex.Pair> pair) {
        Duration time = Duration.ofMillis(20);
        long begun = System.nanoTime();

        boolean ours = new DoorbellWait(pair).sleep(Optional.of(bell()), time, () -> true);

        assertThat(ours).isFalse();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isBetween(time, MISSED);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void callsBeforeAnyBellAreHeard(Optional<Futex.Pair> pair) throws InterruptedException {
        assertThat(longestSleep(pair, Optional.empty())).isLessThan(MISSED);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void noCallIsLost(Optional<Futex.Pair> pair) throws InterruptedException {
        assertThat(longestSleep(pair, Optional.of(bell()))).isLessThan(MISSED);
    }

    /** A caller posts {@value #CALLS} letters, each only when the last was taken. */
    private static Duration longestSleep(Optional<Futex.Pair> pair, Optional<DoorbellWait.Bell> bell)
            throws InterruptedException {
        DoorbellWait wait = new DoorbellWait(pair);
        Queue<Integer> letters = new ConcurrentLinkedQueue<>();
        Thread caller = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < CALLS; i++) {
                letters.add(i);
                wait.call();
                while (!letters.isEmpty()) {
                    Thread.onSpinWait();
                }
            }
        });
        long longest = 0;
        for (int taken = 0; taken < CALLS; ) {
            long begun = System.nanoTime();
            boolean ignored = wait.sleep(bell, MISSED, letters::isEmpty);
            longest = Math.max(longest, System.nanoTime() - begun);
            taken += letters.poll() == null ? 0 : 1;
        }
        caller.join();
        return Duration.ofNanos(longest);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void noRingIsLost(Optional<Futex.Pair> pair) throws InterruptedException {
        DoorbellWait wait = new DoorbellWait(pair);
        Thread ringer = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 1_000; i++) {
                ring();
            }
        });
        long longest = 0;
        for (DoorbellWait.Bell bell = bell(); bell.count() < 1_000; bell = bell()) {
            long begun = System.nanoTime();
            assertThat(wait.sleep(Optional.of(bell), MISSED, () -> true)).isFalse();
            longest = Math.max(longest, System.nanoTime() - begun);
        }
        ringer.join();
        assertThat(Duration.ofNanos(longest)).isLessThan(MISSED);
    }

    /** Others can sleep on the bell, not on a word of ours. */
    @Test
    void aStrangerAtTheBellSwallowsNoCall() throws InterruptedException {
        Optional<Futex.Pair> pair = Futex.Pair.supported();
        if (pair.isEmpty()) {
            return; // what it costs with the bell alone is the time of a sleep
        }
        AtomicBoolean over = new AtomicBoolean();
        Thread stranger = Thread.ofPlatform().start(() -> {
            while (!over.get()) {
                Futex.await(word, 0, Duration.ofMillis(1));
            }
        });
        try {
            assertThat(longestSleep(pair, Optional.of(bell()))).isLessThan(MISSED);
        } finally {
            over.set(true);
            stranger.join();
        }
    }
}
