package dev.quiver.e2e.chaos;

/** Accidents that may happen to an installation and to workers. */
enum Accident {
    SUPERVISOR_KILLED,
    AGENT_KILLED,
    POD_KILLED,
    OPERATOR_KILLED,
    REDIS_KILLED,
    HISTORY_KILLED,
    MEMORY_FULL
}
