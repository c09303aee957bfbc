/* Mapping `control`, making `exec`. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "quiver/slots.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

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
    struct stat status;
    if (fstat(fd, &status) < 0 || status.st_size < QV_HEADER_BYTES) {
        return qv_fail(error, "control has no whole header yet");
    }
    size_t bytes = (size_t)status.st_size;
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

int qv_exec_create(struct qv_region *region, uint64_t agent_epoch, struct qv_error *error) {
    unsigned slots = region->control->prologue.slots;
    size_t bytes = (QV_HEADER_BYTES + (size_t)slots * QV_STRIDE + QV_PAGE - 1) / QV_PAGE * QV_PAGE;
    int fd = memfd_create("quiver-exec", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    if (fd < 0 && errno == EINVAL) { /* before Linux 6.3 */
        fd = memfd_create("quiver-exec", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    }
    if (fd < 0) {
        return qv_fail(error, "no memory file for the executors: memfd_create: %s", strerror(errno));
    }
    struct qv_exec *exec = MAP_FAILED;
    if (ftruncate(fd, (off_t)bytes) == 0) {
        exec = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }
    if (exec == MAP_FAILED || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0) {
        qv_fail(error, "the executors' memory of %zu bytes cannot be made: %s", bytes, strerror(errno));
        if (exec != MAP_FAILED) {
            munmap(exec, bytes);
        }
        close(fd);
        return -1;
    }
    exec->prologue = region->control->prologue;
    exec->prologue.magic = QV_EXEC_MAGIC;
    exec->prologue.minor = QV_MINOR;
    exec->agent_epoch = agent_epoch;
    atomic_store(&exec->heartbeat, qv_now());
    region->exec = exec;
    region->exec_bytes = bytes;
    region->exec_fd = fd;
    for (unsigned slot = 0; slot < slots; slot++) {
        qv_store(region, slot, qv_word(qv_generation(qv_supervisor_word(region, slot)), QV_READY));
    }
    return 0;
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
