package dev.quiver.history.rig;

import java.util.List;
import java.util.Optional;

import dev.quiver.history.live.Live;
import dev.quiver.history.live.LiveFigures;
import dev.quiver.history.live.LiveRoster;
import dev.quiver.history.live.LiveRun;

/** Every running run has the same figures and one worker, until Redis is away. */
public final class FixedLive implements Live {

    private volatile boolean away;
    private volatile String forged = "";

    /** From now on nobody answers. */
    public void goAway() {
        away = true;
    }

    /** From now on the keys of that run make no sense. */
    public void forge(String uid) {
        forged = uid;
    }

    @Override
    public Optional<LiveFigures> of(LiveRun run) {
        if (run.uid().equals(forged)) {
            throw new IndexOutOfBoundsException("forged");
        }
        return away
                ? Optional.empty()
                : Optional.of(new LiveFigures(
                        "running",
                        2250,
                        Optional.of(737L),
                        Optional.of(3L),
                        1500,
                        0,
                        10,
                        1511,
                        1,
                        Optional.of(1),
                        Optional.of(Record.T0),
                        Record.T0 + 1000));
    }

    @Override
    public Optional<LiveRoster> roster(LiveRun run, LiveRoster.Place from, int limit) {
        LiveRoster.Worker worker = new LiveRoster.Worker(
                "ab12",
                run.pools().stream().findFirst().orElse("pool"),
                Optional.of(new LiveRoster.Identity("worker-pod-1", "node-1", 8, 2, false, Record.T0)),
                List.of(
                        new LiveRoster.Held(0, Optional.of(0)),
                        new LiveRoster.Held(7, Optional.of(3)),
                        new LiveRoster.Held(9, Optional.empty())));
        return away
                ? Optional.empty()
                : Optional.of(new LiveRoster(
                        List.of(worker),
                        Optional.of(new LiveRoster.Place(0, from.after() + 1)).filter(place -> limit == 1),
                        Optional.of(Record.T0 + 1000)));
    }
}
