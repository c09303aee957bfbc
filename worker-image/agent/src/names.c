/* The names that handlers announce: from the runners' shared memory into `exec`, where the supervisor reads them. */
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

#include "agent_state.h"

/* Any living handler's names: all run the same command. A handler that just died keeps them while it is replaced. */
static size_t current(const struct agent *a, char *to) {
    for (unsigned slot = 0; slot < agent_slots(a); slot++) {
        const struct announced *from = &a->shared->announced[slot];
        uint32_t before = atomic_load(&from->sequence);
        uint32_t length = from->length;
        if (before % 2 == 0 && length > 0 && length <= QV_HANDLERS_BYTES) {
            memcpy(to, from->names, length);
            if (atomic_load(&from->sequence) == before) {
                return length;
            }
        }
    }
    return 0;
}

bool names_publish(struct agent *a) {
    char names[QV_HANDLERS_BYTES];
    struct qv_exec *exec = a->region.exec;
    uint64_t count;
    if (read(a->names_fd, &count, sizeof count) < 0) {
        count = 0; /* looked at all the same: a runner may have died in between */
    }
    size_t length = current(a, names);
    if (length == exec->handlers_length && memcmp(names, exec->handlers, length) == 0) {
        return false;
    }
    atomic_fetch_add(&exec->handlers_sequence, 1);
    memcpy(exec->handlers, names, length);
    memset(exec->handlers + length, 0, sizeof exec->handlers - length);
    exec->handlers_length = (uint32_t)length;
    atomic_fetch_add(&exec->handlers_sequence, 1);
    return true;
}
