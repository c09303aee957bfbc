/* The environment of a task: what the agent says, then the record's variables, then the container's own. */
#ifndef QUIVER_ENVIRONMENT_H
#define QUIVER_ENVIRONMENT_H

#include "quiver/slots.h"

/*
 * Fills `to` (room for own + command->envc + base and a NULL) with pointers, each name once: `own` before the
 * record's, the record's later ones before its earlier ones, those before `base`. Returns the value of PATH or NULL.
 */
const char *environment_build(const struct qv_command *command, const char *const *own, char *const *base,
                              const char **to);

#endif
