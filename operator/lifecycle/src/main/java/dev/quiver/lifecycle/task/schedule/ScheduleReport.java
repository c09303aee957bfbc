package dev.quiver.lifecycle.task.schedule;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import dev.quiver.lifecycle.task.model.TreeState;

/**
 * A schedule and its runs, of one moment.
 *
 * @param storeTime this moment, by Redis' clock
 * @param next when it fires; absent for one that was stopped
 * @param last when the last run was due that began
 * @param succeeded when a run last ended well
 * @param missed runs that were due and did not begin
 * @param runs that are there, newest first
 */
public record ScheduleReport(
        Instant storeTime,
        Optional<Instant> next,
        Optional<Instant> last,
        Optional<Instant> succeeded,
        long missed,
        List<Run> runs) {

    /** Copies the list. */
    public ScheduleReport {
        runs = List.copyOf(runs);
    }

    /** The runs that have not ended. */
    public List<Run> live() {
        return runs.stream().filter(run -> run.ended().isEmpty()).toList();
    }

    /** Whether more runs of an outcome are there than are to be kept. */
    public boolean exceeds(int succeeded, int failed) {
        long ended = runs.stream().filter(run -> run.ended().isPresent()).count();
        long good = runs.stream().filter(Run::succeeded).count();
        return good > succeeded || ended - good > failed;
    }

    /**
     * One run.
     *
     * @param number from 1
     * @param tree its id
     * @param began absent for one whose nodes wait for their pool to be known
     * @param ended when its root, and the node at its end, were over
     * @param state of its root
     * @param suspended whether nothing is given out of it
     * @param reason the word of the root's own error that no trial had, such as Cancelled; empty for another one, and for none
     * @param endFailed whether the node failed that runs at the end
     */
    public record Run(
            long number,
            String tree,
            Instant due,
            Optional<Instant> began,
            Optional<Instant> ended,
            TreeState.State state,
            boolean suspended,
            String reason,
            boolean endFailed) {

        /** Whether a newer task of its name took its place while it waited. */
        public boolean isReplaced() {
            return state == TreeState.State.FAILED && reason.equals("Replaced");
        }

        /** Whether it ended, and well. */
        public boolean succeeded() {
            return ended.isPresent() && state == TreeState.State.FINISHED && !endFailed;
        }

        /** Whether its root has ended. */
        public boolean rootOver() {
            return state.isOver();
        }
    }
}
