/* Starts a program by vfork and exec, and says why when that fails. */
#ifndef QUIVER_SPAWN_H
#define QUIVER_SPAWN_H

#include <sys/types.h>

#include "quiver/slots.h"

struct spawn {
    char *const *argv;
    char *const *envp;
    const char *path;      /* PATH of the task's environment, NULL for the usual folders */
    const char *directory; /* NULL: stay */
    int in, out, err;      /* become 0, 1, 2 */
    const int *keep;       /* descriptors that stay open, at their numbers */
    unsigned keeps;
};

/*
 * The new process, leader of its own session, dying with its parent. Or -1, with the reason and its words. Every
 * signal must be blocked; the process begins with none blocked.
 */
pid_t spawn(const struct spawn *what, enum qv_reason *reason, struct qv_error *error);

#endif
