/* The process around the runners. */
#ifndef QUIVER_AGENT_H
#define QUIVER_AGENT_H

#include "runner.h"

/* Makes the executor of a runner's slot, inside the runner's process. */
typedef struct executor make_executor_fn(struct runner *runner);

/*
 * Serves the volumes named by QUIVER_IN and QUIVER_OUT until it is drained; returns the exit code. `handler`: the words
 * of the handler's command, ended by NULL, or NULL.
 */
int agent_run(make_executor_fn *make_executor, char *const *handler);

/* Copies this binary, and libquiver.so from beside it, into the folder, each at one stroke; returns the exit code. */
int agent_install(const char *folder);

/* Prints a table of the slots in QUIVER_IN and of what they do; returns the exit code. */
int agent_inspect(void);

#endif
