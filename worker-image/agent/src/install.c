#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent.h"
#include "say.h"

static int copy(int from, int to) {
    struct stat status;
    if (fstat(from, &status) < 0) {
        return -1;
    }
    for (off_t at = 0; at < status.st_size;) {
        ssize_t n = sendfile(to, from, &at, (size_t)(status.st_size - at));
        if (n <= 0) {
            errno = n == 0 ? EIO : errno;
            return -1;
        }
    }
    return fchmod(to, 0755);
}

/* Replaces the name in the folder by a copy, at one stroke. */
static bool install(int dir, int from, const char *name) {
    char temporary[64];
    snprintf(temporary, sizeof temporary, ".%s.new", name);
    unlinkat(dir, temporary, 0);
    int to = openat(dir, temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0755);
    if (to < 0) {
        return false;
    }
    bool copied = copy(from, to) == 0;
    copied &= close(to) == 0;
    if (copied && renameat(dir, temporary, dir, name) == 0) {
        return true;
    }
    int why = errno;
    unlinkat(dir, temporary, 0);
    errno = why;
    return false;
}

int agent_install(const char *folder) {
    char library[4096] = "";
    ssize_t length = readlink("/proc/self/exe", library, sizeof library - sizeof "libquiver.so");
    char *slash = length < 0 ? NULL : memrchr(library, '/', (size_t)length);
    memcpy(slash == NULL ? library : slash + 1, "libquiver.so", sizeof "libquiver.so");
    int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int agent = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), shared = open(library, O_RDONLY | O_CLOEXEC);
    const char *what = "libquiver.so";
    if (dir >= 0 && agent >= 0 && shared >= 0 && install(dir, shared, what)) {
        what = "quiver-agent";
        if (install(dir, agent, what)) {
            return 0;
        }
    }
    say("%s cannot be installed in %s: %s", shared < 0 ? library : what, folder, strerror(errno));
    return EXIT_WORDS;
}
