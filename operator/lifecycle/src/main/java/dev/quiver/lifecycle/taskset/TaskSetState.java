package dev.quiver.lifecycle.taskset;

/** The states of a TaskSet; see the picture in DESIGN.md. */
public enum TaskSetState {
    /** Gives tasks out. */
    RUNNING,
    /** Gives none out; settlements count. */
    SUSPENDED,
    /** Final: every task passed. */
    SUCCEEDED,
    /** Final: a task failed, a limit was passed, or the operator ended the set; the reason shows which. */
    FAILED,
    /** Final: asked for by the user. */
    CANCELLED;

    /** Whether nothing changes any more. */
    public boolean isFinal() {
        return this != RUNNING && this != SUSPENDED;
    }
}
