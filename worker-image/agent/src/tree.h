/* All descendants of this process, whatever sessions they made. The process must be a child subreaper. */
#ifndef QUIVER_TREE_H
#define QUIVER_TREE_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

/* What was learnt from reaping. */
struct reaped {
    pid_t leader;        /* in: the process whose status is wanted, 0 = none */
    bool leader_ended;
    int leader_status;
    bool empty;          /* no child is left */
    struct rusage usage; /* sum of times, maximum of ru_maxrss, of all that were reaped */
};

/* Reaps whoever has ended, without waiting. */
void tree_reap(struct reaped *reaped);

/* Sends a signal to every descendant, once. */
void tree_signal(int signal);

/* Kills and reaps every descendant but those in `spare` (their own trees are their business). False after `millis`. */
bool tree_kill(struct reaped *reaped, const pid_t *spare, unsigned spares, unsigned millis);

/* Kills every process that has `marker` in its environment and is not this one; the number found. */
unsigned tree_kill_marked(const char *marker);

#endif
