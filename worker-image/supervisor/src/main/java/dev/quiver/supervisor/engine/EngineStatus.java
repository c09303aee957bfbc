package dev.quiver.supervisor.engine;

import java.util.Optional;

/**
 * The engine's state at this moment, for probes and metrics. Immutable.
 *
 * @param session the session held
 * @param sessionAbsence why none is held, absent when one is
 * @param executorAbsence why no task can be run, absent when some can
 * @param storeTrouble why Redis does not do what is asked, absent while it does
 * @param drain where the drain has come to
 * @param free slots that take a task
 * @param busy slots that run one
 * @param queued tasks that wait for a slot
 * @param depth most that may wait
 * @param unsettled results that Redis has not counted yet
 * @param poolGone why this pod has no pool any more, absent while it has one
 * @param violation what the user's side broke, absent when nothing
 * @param fault the error that ended the engine's thread, absent while it runs
 */
public record EngineStatus(
        Optional<String> session,
        Optional<String> sessionAbsence,
        Optional<String> executorAbsence,
        Optional<String> storeTrouble,
        DrainState drain,
        int free,
        int busy,
        int queued,
        int depth,
        int unsettled,
        Optional<String> poolGone,
        Optional<String> violation,
        Optional<String> fault) {

    /** The same with what is known of Redis now: that changes on other threads than the engine's. */
    EngineStatus with(Optional<String> trouble) {
        return new EngineStatus(
                session,
                sessionAbsence,
                executorAbsence,
                trouble,
                drain,
                free,
                busy,
                queued,
                depth,
                unsettled,
                poolGone,
                violation,
                fault);
    }
}
