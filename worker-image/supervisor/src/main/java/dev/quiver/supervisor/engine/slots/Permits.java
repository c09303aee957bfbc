package dev.quiver.supervisor.engine.slots;

import java.util.EnumMap;
import java.util.Map;

/**
 * The permits that claimed tasks may take: one for each usable slot plus the prefetch depth. A task without a permit is
 * never claimed.
 *
 * <p>Belongs to the engine's thread.
 */
public final class Permits {

    private final Map<ReleaseReason, Long> released = new EnumMap<>(ReleaseReason.class);
    private int slots;
    private int depth;
    private int taken;

    /** Sets how many slots can run tasks now; fewer than are taken is legal and only stops claims. */
    public void slots(int usable) {
        slots = usable;
    }

    /** Sets how many tasks may wait beside the slots; without a usable slot none may. */
    public void depth(int tasks) {
        depth = tasks;
    }

    public int depth() {
        return slots == 0 ? 0 : depth;
    }

    public int taken() {
        return taken;
    }

    /** Permits that a claim may reserve now; never negative. */
    public int free() {
        return free(0);
    }

    /** Permits that a claim may reserve if the same call settles {@code settling} tasks, whose permits come free. */
    public int free(int settling) {
        return Math.max(0, slots + depth() + settling - taken);
    }

    /** How often permits were given back for a reason. */
    long released(ReleaseReason reason) {
        return released.getOrDefault(reason, 0L);
    }

    /**
     * Takes {@code count} permits for a claim under way.
     *
     * @param settling how many results the same call settles
     * @throws IllegalArgumentException if more are asked for than {@link #free(int)} allows
     */
    public Reservation reserve(int count, int settling) {
        if (count < 0 || count > free(settling)) {
            throw new IllegalArgumentException(count + " permits asked for, " + free(settling) + " are free");
        }
        taken += count;
        return new Reservation(count);
    }

    /** A permit for a task that runs already, whether there is room or not. */
    public Permit adopt() {
        taken++;
        return new Permit();
    }

    private void release(ReleaseReason reason) {
        taken--;
        released.merge(reason, 1L, Long::sum);
    }

    /** Permits reserved for the answer of one call; closing it gives back those that no task took. */
    public final class Reservation implements AutoCloseable {

        private int left;

        private Reservation(int count) {
            left = count;
        }

        /** Hands one of the reserved permits to a claimed task. */
        public Permit take() {
            if (left == 0) {
                throw new IllegalStateException("a claim brought more tasks than permits were reserved for");
            }
            left--;
            return new Permit();
        }

        @Override
        public void close() {
            for (; left > 0; left--) {
                release(ReleaseReason.UNUSED);
            }
        }
    }

    /** One task's permit. */
    public final class Permit {

        private boolean held = true;

        private Permit() {}

        /** Gives the permit back; the second call is an error of the program, not a no-op. */
        public void release(ReleaseReason reason) {
            if (!held) {
                throw new IllegalStateException("a permit was given back twice, now as " + reason);
            }
            held = false;
            Permits.this.release(reason);
        }
    }
}
