/* Making `exec`, which only an agent does. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "quiver/slots.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

int qv_exec_create(struct qv_region *region, uint64_t agent_epoch, struct qv_error *error) {
    unsigned slots = region->control->prologue.slots;
    size_t bytes = (qv_exec_size(slots) + QV_PAGE - 1) / QV_PAGE * QV_PAGE;
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
