/*
 * Where the kernel ends the whole container for lack of memory (cgroup v2, memory.oom.group), the agent is faster: at
 * 95 % of the limit it ends the largest tree, so that the others are unharmed.
 */
#ifndef QUIVER_PRESSURE_H
#define QUIVER_PRESSURE_H

#include <stdint.h>

#include "runner.h"

struct pressure {
    char folder[1024];       /* empty: nothing to watch */
    uint64_t look_at, spare_until;
};

/* Finds out whether there is something to watch; `folder` NULL: our own cgroup. */
void pressure_open(struct pressure *pressure, const char *folder);

/*
 * Looks when it is time. `runners` has a process for each slot, 0 for none. Returns the slot whose tree was killed, -1
 * if none was; shared->sacrificed says it to its runner.
 */
int pressure_look(struct pressure *pressure, const pid_t *runners, unsigned slots, struct shared *shared);

/* Milliseconds until the next look, at most `most`. */
unsigned pressure_patience(const struct pressure *pressure, unsigned most);

#endif
