package dev.quiver.supervisor.engine.session;

import dev.quiver.lifecycle.worker.WorkerSession;

/** Where the parts of a session bring what Redis says of it. On the engine's thread, unless said otherwise. */
interface SessionNews {

    /** Whether calls of this session still matter; from any thread. */
    boolean wanted();

    /** The session is no more: results are refused, running tasks stopped. */
    void fenced();

    /** The pool's name belongs to another WorkerPool or to none. */
    void poolGone();

    /** The operator wants this pod to take no more work, or to take some again. */
    void operatorDrains(boolean draining);

    /** So many supervisors share what their pool does now and then. */
    void poolOf(int supervisors);

    /** A tick of the reaper is this caller's turn. */
    void reapDue();

    /** The news of a source. */
    void heard(String uid, WorkerSession.HeartbeatOutcome.SetNews news);
}
