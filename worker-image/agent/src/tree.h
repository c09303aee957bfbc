/* All descendants of this process, whatever sessions they made. The process must be a child subreaper. */
#ifndef QUIVER_TREE_H
#define QUIVER_TREE_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

/* A child with a life of its own, whose descendants are its own business. */
struct spared {
    pid_t pid;           /* 0: there is none */
    bool ended;          /* it was reaped; pid stays */
    int status;
    struct rusage usage;
};

/* What was learnt from reaping. */
struct reaped {
    struct spared *spared; /* in: NULL = nobody */
    pid_t leader;        /* in: the process whose status is wanted, 0 = none */
    bool leader_ended;
    int leader_status;
    bool empty;          /* no child is left */
    struct rusage usage; /* sum of times, maximum of ru_maxrss, of all that were reaped */
};

/* Reaps whoever has ended, without waiting. */
void tree_reap(struct reaped *reaped);

/* Whether the spared child is the only one to be seen. One that moves at that moment may be missed: kill all the same. */
bool tree_only_spared(const struct spared *spared);

/* Sends a signal to every descendant, once, but not to the spared child and its own. */
void tree_signal(int signal, const struct spared *spared);

/* Kills and reaps every descendant but the spared child and its own. False after `millis`. */
bool tree_kill(struct reaped *reaped, unsigned millis);

/* Kills every descendant but the children in `spare` and their own; others reap the spared. False after `millis`. */
bool tree_kill_orphans(const pid_t *spare, unsigned spares, unsigned millis);

/* Kills every process that has `marker` in its environment and is not this one; the number found. */
unsigned tree_kill_marked(const char *marker);

#endif
