/* Entering the region that a supervisor means. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "agent_state.h"
#include "files.h"
#include "say.h"

/* Output files for every slot of a newly mapped control. */
static int make_files(const struct agent *a, const struct qv_control *control, struct qv_error *error) {
    for (unsigned slot = 0; slot < control->prologue.slots; slot++) {
        struct slot_files files = {.dir = a->out_dir_fd, .slot = slot, .out_capacity = control->out_capacity};
        if (files_create(&files, error) < 0) {
            return -1;
        }
        files_close(&files);
    }
    return 0;
}

int agent_enter_region(struct agent *a, struct qv_error *error) {
    const uint8_t *wanted = a->link.frame.region_id;
    if (a->region.exec == NULL || memcmp(a->region.exec->prologue.region_id, wanted, 16) != 0) {
        if (a->region.exec != NULL && !places_end(a)) {
            say("processes of the earlier region are still there %d s after KILL; ending the container",
                CLEAN_MS / 1000);
            exit(EXIT_NOT_CLEAN);
        }
        struct qv_region region;
        int fd = openat(a->in_dir_fd, "control", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        if (fd < 0) {
            return qv_fail(error, "control: %s", strerror(errno));
        }
        int mapped = qv_control_map(fd, &region, error);
        close(fd);
        if (mapped < 0) {
            return -1;
        }
        if (memcmp(region.control->prologue.region_id, wanted, 16) != 0) {
            qv_region_close(&region);
            return qv_fail(error, "control is being replaced");
        }
        if (make_files(a, region.control, error) < 0 || qv_exec_create(&region, qv_now(), error) < 0) {
            qv_region_close(&region);
            return -1;
        }
        a->region = region;
        a->bell = atomic_load(&region.control->agent_bell);
        for (unsigned slot = 0; slot < agent_slots(a); slot++) {
            a->places[slot] = (struct place){.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
        }
    }
    if (link_send(&a->link, QV_FRAME_EXEC, &a->region, error) < 0) {
        return -1;
    }
    a->announced = true;
    places_start(a);
    return atomic_load(&a->shared->draining) ? link_send(&a->link, QV_FRAME_DRAINING, &a->region, error) : 0;
}
