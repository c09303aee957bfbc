package dev.quiver.supervisor.engine.session;

import java.util.Optional;

import dev.quiver.lifecycle.history.TrialRow;

/** Takes results that are too large for the rows of their trials. No call waits. Thread-safe. */
public interface ResultPacks {

    /** Takes none. */
    ResultPacks NONE = new ResultPacks() {
        @Override
        public boolean hasRoom(long bytes) {
            return false;
        }

        @Override
        public Optional<TrialRow.PackPlace> take(String session, String run, TrialRow.Result result) {
            return Optional.empty();
        }
    };

    /** Whether a result of so many bytes would be taken now; one that would not is counted as dropped. */
    boolean hasRoom(long bytes);

    /**
     * Takes a result, which then belongs to the receiver.
     *
     * @param session that settles its trial
     * @param run uid of the run of the trial
     * @return where the result will be found; absent where there is no room
     */
    Optional<TrialRow.PackPlace> take(String session, String run, TrialRow.Result result);
}
