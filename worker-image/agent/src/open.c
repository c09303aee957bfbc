/* What the agent needs before its first supervisor. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "agent_state.h"
#include "memory.h"
#include "say.h"
#include "tree.h"

enum { LOCK_TRIES = 50 };

/* A description of our own for the container's stdout or stderr, so that not blocking is nobody else's business. */
static int open_log(int fd) {
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int own = open(path, O_WRONLY | O_NONBLOCK | O_APPEND | O_CLOEXEC | O_NOCTTY);
    if (own < 0) { /* a socket, or a pipe made by another user: then the description that we were given */
        own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
        fcntl(own, F_SETFL, O_NONBLOCK | fcntl(own, F_GETFL));
    }
    return own;
}

static int open_folder(const char *variable, const char *usual, const char **path) {
    const char *named = getenv(variable);
    *path = named != NULL && *named != 0 ? named : usual;
    int fd = open(*path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        say("%s=%s cannot be opened: %s", variable, *path, strerror(errno));
    }
    return fd;
}

/* Only pods of an installation with history have it. */
static int open_whole_dir(void) {
    const char *path = getenv("QUIVER_WHOLE");
    return path == NULL || *path == 0 ? -1 : open_folder("QUIVER_WHOLE", "", &path);
}

/* One agent for a volume. An earlier one's runners hold the lock for the moment that they take to die. */
static bool lock_out_dir(struct agent *a) {
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(a->out_dir_fd, LOCK_EX | LOCK_NB) == 0) {
            return true;
        }
        poll(NULL, 0, 100);
    }
    say("another agent serves %s", a->out_dir);
    return false;
}

/* Processes that an earlier agent's tasks left: they carry the volume in their environment. */
static void kill_leftovers(const struct agent *a) {
    char marker[PATH_BYTES];
    snprintf(marker, sizeof marker, "QUIVER_OUTPUT=%s/task-", a->out_dir);
    unsigned found, sum = 0;
    for (int i = 0; i < 20 && (found = tree_kill_marked(marker)) > 0; i++, sum += found) {
        poll(NULL, 0, 10);
    }
    if (sum > 0) {
        say("killed what an earlier agent's tasks had left running");
    }
}

/* libquiver.so is installed beside the agent. */
static void find_library(struct agent *a) {
    static const char name[] = "libquiver.so";
    ssize_t length = readlink("/proc/self/exe", a->library, sizeof a->library - sizeof name);
    char *slash = memrchr(a->library, '/', length < 0 ? 0 : (size_t)length);
    memcpy(slash == NULL ? a->library : slash + 1, name, sizeof name);
}

bool agent_open(struct agent *a) {
    a->in_dir_fd = open_folder("QUIVER_IN", "/quiver/in", &a->in_dir);
    a->out_dir_fd = open_folder("QUIVER_OUT", "/quiver/out", &a->out_dir);
    a->whole_dir_fd = open_whole_dir();
    if (a->in_dir_fd < 0 || a->out_dir_fd < 0 || !lock_out_dir(a)) {
        return false;
    }
    a->log_fd[0] = open_log(STDOUT_FILENO);
    a->log_fd[1] = open_log(STDERR_FILENO);
    a->shared = mmap(NULL, sizeof *a->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (a->shared == MAP_FAILED) {
        say("no memory: %s", strerror(errno));
        return false;
    }
    a->names_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    find_library(a);
    uint64_t kills;
    atomic_store(&a->shared->oom_seen, memory_oom_kills(&kills) ? kills : 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    kill_leftovers(a);
    return true;
}
