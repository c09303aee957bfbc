package dev.quiver.slots.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.Optional;

/**
 * Waiting on a 32-bit word in memory shared between processes, and waking all who do. Works on read-only mappings. Both
 * are hints: the caller looks at the word again, whatever came back.
 */
public final class Futex {
    private static final long SYS_FUTEX = Libc.ARM ? 98 : 202;
    private static final long SYS_FUTEX_WAITV = 449;
    private static final int WAIT = 0;
    private static final int WAKE = 1;
    private static final int EAGAIN = 11;
    private static final int CLOCK_MONOTONIC = 1;
    private static final MemorySegment SYSCALL = Libc.function("syscall");

    private Futex() {}

    /**
     * Sleeps while the word holds the value, at most the time. Blocks the platform thread: not for virtual threads.
     */
    public static void await(MemorySegment word, int value, Duration time) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment limit = arena.allocate(JAVA_LONG, 2);
            limit.setAtIndex(JAVA_LONG, 0, time.toSeconds());
            limit.setAtIndex(JAVA_LONG, 1, time.toNanosPart());
            invoke(word, WAIT, value, limit.address());
        }
    }

    /**
     * Wakes everybody who sleeps on the word: a stranger among them must not swallow the wake. Returns how many slept.
     */
    public static long wakeAll(MemorySegment word) {
        return invoke(word, WAKE, Integer.MAX_VALUE, 0);
    }

    private static long invoke(MemorySegment word, int operation, int value, long limit) {
        try {
            return Libc.call(SYSCALL, Libc.UNREAD, SYS_FUTEX, word.address(), operation, value, limit, 0);
        } finally {
            Reference.reachabilityFence(word); // its address alone does not keep it mapped
        }
    }

    /** Waits on two words at once, which Linux can do since 5.16. For one thread at a time. */
    public static final class Pair {
        private static final long WAITER_BYTES = 24;
        private static final long ADDRESS_AT = 8;
        private static final long FLAGS_AT = 16;
        private static final int WORD_OF_32_BITS = 2;

        private final MemorySegment waiters = Arena.ofAuto().allocate(2 * WAITER_BYTES, Long.BYTES);
        private final MemorySegment until = Arena.ofAuto().allocate(JAVA_LONG, 2);
        private final MemorySegment state = Libc.state(Arena.ofAuto());

        private Pair() {}

        /** Absent where the kernel, or what guards it, refuses. */
        public static Optional<Pair> supported() {
            Pair pair = new Pair();
            MemorySegment word = Arena.ofAuto().allocate(JAVA_INT);
            boolean refused = pair.await(word, 1, word, 1, Duration.ZERO) != EAGAIN;
            return refused ? Optional.empty() : Optional.of(pair);
        }

        /**
         * Sleeps while both words hold their values, at most the time; returns errno, or 0. Blocks the platform thread.
         */
        public int await(MemorySegment one, int oneValue, MemorySegment other, int otherValue, Duration time) {
            put(0, one, oneValue);
            put(WAITER_BYTES, other, otherValue);
            long end = System.nanoTime() + time.toNanos(); // CLOCK_MONOTONIC, as everywhere in the slots
            until.setAtIndex(JAVA_LONG, 0, end / 1_000_000_000L);
            until.setAtIndex(JAVA_LONG, 1, end % 1_000_000_000L);
            try {
                long woken = Libc.call(
                        SYSCALL, state, SYS_FUTEX_WAITV, waiters.address(), 2, 0, until.address(), CLOCK_MONOTONIC);
                return woken < 0 ? Libc.errno(state) : 0;
            } finally {
                Reference.reachabilityFence(one); // their addresses alone do not keep them mapped
                Reference.reachabilityFence(other);
                Reference.reachabilityFence(this);
            }
        }

        private void put(long at, MemorySegment word, int value) {
            waiters.set(JAVA_LONG, at, Integer.toUnsignedLong(value));
            waiters.set(JAVA_LONG, at + ADDRESS_AT, word.address());
            waiters.set(JAVA_INT, at + FLAGS_AT, WORD_OF_32_BITS);
        }
    }
}
