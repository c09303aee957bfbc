/* Mapping `control` and `exec`. Sizes by lseek: an old glibc has no symbol named fstat. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "quiver/slots.h"

int qv_control_check(const struct qv_control *control, size_t bytes, struct qv_error *error) {
    const struct qv_prologue *p = &control->prologue;
    if (bytes < QV_HEADER_BYTES) {
        return qv_fail(error, "control has %zu bytes, its header alone takes %d", bytes, QV_HEADER_BYTES);
    }
    if (p->magic != QV_CONTROL_MAGIC) {
        return qv_fail(error, "control does not begin with QVRCTRL: it is not a supervisor's file");
    }
    if (p->byte_order != QV_BYTE_ORDER_MARK) {
        return qv_fail(error, "control was written on a machine of the other byte order");
    }
    if (p->major != QV_MAJOR) {
        return qv_fail(error, "the supervisor speaks version %u of the slots, this agent version %d: use one release of the"
                       " worker image for both", p->major, QV_MAJOR);
    }
    if (p->header_bytes != QV_HEADER_BYTES || p->stride != QV_STRIDE || p->slots < 1 || p->slots > QV_MAX_SLOTS) {
        return qv_fail(error, "control says %u slots of %u bytes after %u: allowed are 1 to %d of %d after %d", p->slots,
                       p->stride, p->header_bytes, QV_MAX_SLOTS, QV_STRIDE, QV_HEADER_BYTES);
    }
    if (bytes < QV_HEADER_BYTES + (size_t)p->slots * QV_STRIDE) {
        return qv_fail(error, "control has %zu bytes, too few for %u slots", bytes, p->slots);
    }
    return 0;
}

int qv_control_map(int fd, struct qv_region *region, struct qv_error *error) {
    off_t size = lseek(fd, 0, SEEK_END);
    if (size < QV_HEADER_BYTES) {
        return qv_fail(error, "control has no whole header yet");
    }
    size_t bytes = (size_t)size;
    void *at = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) {
        return qv_fail(error, "control cannot be mapped: %s", strerror(errno));
    }
    if (qv_control_check(at, bytes, error) < 0) {
        munmap(at, bytes);
        return -1;
    }
    *region = (struct qv_region){.control = at, .control_bytes = bytes, .exec_fd = -1};
    return 0;
}

int qv_exec_map(int fd, struct qv_region *region, struct qv_error *error) {
    const struct qv_prologue *wanted = &region->control->prologue;
    off_t size = lseek(fd, 0, SEEK_END);
    if (size < QV_HEADER_BYTES + (off_t)wanted->slots * QV_STRIDE) {
        return qv_fail(error, "exec has %lld bytes, too few for %u slots", (long long)size, wanted->slots);
    }
    struct qv_exec *exec = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (exec == MAP_FAILED) {
        return qv_fail(error, "exec cannot be mapped: %s", strerror(errno));
    }
    const struct qv_prologue *p = &exec->prologue;
    if (p->magic != QV_EXEC_MAGIC || p->major != QV_MAJOR || p->slots != wanted->slots || p->stride != QV_STRIDE
        || memcmp(p->region_id, wanted->region_id, sizeof p->region_id) != 0) {
        munmap(exec, (size_t)size);
        return qv_fail(error, "exec does not belong to control: the supervisor has begun anew");
    }
    region->exec = exec;
    region->exec_bytes = (size_t)size;
    region->exec_fd = fd;
    return 0;
}

struct qv_exec_slot *qv_exec_clear(struct qv_region *region, unsigned slot) {
    struct qv_exec_slot *exec = &region->exec->slot[slot];
    atomic_store(&exec->done, 0);
    memset(&exec->started, 0, sizeof *exec - offsetof(struct qv_exec_slot, started));
    exec->exit = -1;
    return exec;
}

void qv_exec_next(const struct qv_region *region, unsigned slot) {
    if (region->control->prologue.minor >= QV_MINOR_SUCCESSION) {
        atomic_fetch_or(&region->exec->slot[slot].done, QV_DONE_NEXT);
    }
}

void qv_exec_message(struct qv_exec_slot *exec, enum qv_reason reason, const char *text, size_t length) {
    length = qv_utf8_cut(text, length, QV_MESSAGE_BYTES);
    memcpy(exec->message, text, length);
    exec->message_length = (uint32_t)length;
    exec->reason = reason;
}

void qv_region_close(struct qv_region *region) {
    if (region->exec != NULL) {
        munmap(region->exec, region->exec_bytes);
        close(region->exec_fd);
    }
    if (region->control != NULL) {
        munmap((void *)region->control, region->control_bytes);
    }
    *region = (struct qv_region){.exec_fd = -1};
}
