package dev.quiver.supervisor.engine;

import java.time.Duration;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.lifecycle.taskset.Place;
import dev.quiver.lifecycle.taskset.Settlement;
import dev.quiver.supervisor.execution.Ending;

/**
 * What the tasks of one session come to: put down at their set's desk, where the next step takes it from. Belongs to the
 * engine's thread.
 */
final class Results {

    private static final Logger LOG = LoggerFactory.getLogger(Results.class);
    private static final Duration MOVE_AFTER = Duration.ofMillis(100);

    private final Tenure tenure;
    private final Floor floor;

    Results(Tenure tenure, Floor floor) {
        this.tenure = tenure;
        this.floor = floor;
    }

    /** A task ended by itself. */
    void ended(Held held, Ending ending, long now) {
        if (!tenure.wanted()) {
            LOG.warn(
                    "the result of task {} of set {} is refused: its session {} was condemned",
                    held.claim().id(),
                    held.desk().uid(),
                    tenure.session().id());
            floor.stats().add(Counter.REFUSED);
            floor.slots().acknowledge(held);
            held.release(ReleaseReason.REFUSED);
            return;
        }
        // A task that was adopted ran before we knew of it.
        held.desk().timing().task(Math.max(now - held.sinceNanos(), ending.ran().toNanos()));
        boolean early = held.desk().timing().shortTasks();
        if (early) {
            floor.slots().acknowledge(held);
        }
        Settlement settlement = Verdicts.of(held.desk().spec(), held.claim(), ending);
        held.desk().add(new Desk.Result(held, settlement, !early, now));
    }

    /** A task left its slot without a result. */
    void gone(Held held, boolean started, String words, long now) {
        if (!tenure.wanted()) {
            held.release(ReleaseReason.REFUSED);
        } else if (held.stopped()) {
            giveBack(held, now);
        } else {
            add(held, Verdicts.gone(held.desk().spec(), held.claim(), started, words), now);
        }
    }

    /** A task can never be started here. */
    void impossible(Held held, String reason, String message, long now) {
        add(held, Verdicts.of(held.desk().spec(), held.claim(), Ending.notStarted(reason, message)), now);
    }

    /** Back to the queue without using a trial; of a set that is over Redis only forgets that it was held. */
    void giveBack(Held held, long now) {
        add(held, new Settlement.Returned(held.claim()), now);
    }

    /** Tasks claimed for the ring that run for a while: if this process dies they were lost, not waiting. */
    void tellMoves(long now) {
        floor.slots().forEach(held -> {
            if (held.tenure() == tenure && !held.stopped() && held.claimMoveReport(now, MOVE_AFTER.toNanos())) {
                add(held, new Settlement.Moved(held.claim(), Place.slot(held.slot(), held.token())), now);
            }
        });
    }

    private static void add(Held held, Settlement settlement, long now) {
        held.desk().add(new Desk.Result(held, settlement, false, now));
    }
}
