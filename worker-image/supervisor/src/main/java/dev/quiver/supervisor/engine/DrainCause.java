package dev.quiver.supervisor.engine;

/** The reason for a supervisor to take no more work. */
public enum DrainCause {
    /** The pod is being deleted: the kubelet called preStop. */
    PRE_STOP,
    /** The process got SIGTERM. */
    TERMINATED,
    /** The operator flagged this pod in Redis; the only cause that can be withdrawn. */
    OPERATOR,
    /** The pool of this pod is no more. */
    POOL_GONE
}
