package dev.quiver.supervisor.engine.session;

import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.worker.Reaper;
import dev.quiver.supervisor.engine.store.StoreCalls;

/**
 * This supervisor's share of the search for sessions whose lease ended. Redis lets one caller a second through, and
 * takes a longer silence of all for its own absence. Belongs to the engine's thread.
 */
public final class ReapRound {

    private static final Logger LOG = LoggerFactory.getLogger(ReapRound.class);

    private final PollIntervals ticks = new PollIntervals(RandomGenerator.getDefault());
    private final Reaper reaper;
    private final StoreCalls calls;
    private final BooleanSupplier wanted;
    private boolean underWay;
    private long dueAt;
    private int supervisors = 1;

    public ReapRound(Reaper reaper, StoreCalls calls, BooleanSupplier wanted) {
        this.reaper = reaper;
        this.calls = calls;
        this.wanted = wanted;
        this.dueAt = System.nanoTime();
    }

    /** How many supervisors share the rounds. */
    public void poolOf(int size) {
        supervisors = Math.max(1, size);
    }

    /** A heartbeat said that nobody has looked for a while. */
    public void hurry(long now) {
        dueAt = now;
    }

    /** Looks if it is due; returns nanoseconds until it will be. */
    public long turn(long now) {
        if (underWay) {
            return Long.MAX_VALUE;
        }
        if (dueAt - now <= 0) {
            underWay = true;
            calls.untilAnswered(reaper::send, this::tick, wanted, this::begun);
            return Long.MAX_VALUE;
        }
        return dueAt - now;
    }

    /** All of it, where its first call could not be sent or was not answered. */
    private Reaper.Begun tick() {
        Reaper.Reaped reaped = reaper.tick();
        return new Reaper.Begun(Optional.of(() -> reaped));
    }

    private void begun(Reaper.Begun tick) {
        tick.rest()
                .ifPresentOrElse(
                        rest -> calls.untilAnswered(rest, wanted, this::reaped), () -> reaped(Reaper.Reaped.NONE));
    }

    private void reaped(Reaper.Reaped reaped) {
        underWay = false;
        dueAt = System.nanoTime() + ticks.reap(supervisors).toNanos();
        if (reaped.sessions() > 0) {
            LOG.info(
                    "reaped {} sessions: {} tasks run again, {} had lost their worker too often",
                    reaped.sessions(),
                    reaped.requeued(),
                    reaped.failed());
        }
    }
}
