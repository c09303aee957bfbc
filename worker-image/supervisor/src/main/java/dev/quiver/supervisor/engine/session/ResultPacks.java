package dev.quiver.supervisor.engine.session;

import java.util.Optional;

import dev.quiver.lifecycle.history.PackPlace;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.supervisor.execution.PrintedStream;

/** Takes results that are too large for the rows of their trials, and all that trials printed. No call waits. Thread-safe. */
public interface ResultPacks {

    /** Takes none. */
    ResultPacks NONE = new ResultPacks() {
        @Override
        public boolean hasRoom(long bytes) {
            return false;
        }

        @Override
        public Optional<PackPlace> take(String session, String run, TrialRow.Result result) {
            return Optional.empty();
        }

        @Override
        public PackPlace take(String session, String run, PrintedStream stream, boolean passed) {
            stream.close();
            return PackPlace.nowhere(stream.bytes());
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
    Optional<PackPlace> take(String session, String run, TrialRow.Result result);

    /**
     * Takes all that a trial printed to one stream, which then belongs to the receiver, and is closed by it.
     *
     * @param passed whether the trial passed: the output of others comes first where room is short
     * @return where it will be found; nowhere where there is no room
     */
    PackPlace take(String session, String run, PrintedStream stream, boolean passed);
}
