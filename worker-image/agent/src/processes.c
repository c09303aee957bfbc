#define _GNU_SOURCE
#include "processes.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t process_file(const char *path, char *to, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, to, size - 1);
    if (fd >= 0) {
        close(fd);
    }
    to[n < 0 ? 0 : n] = 0;
    return n < 0 ? 0 : (size_t)n;
}

static pid_t parent_of(pid_t pid) {
    char path[64], stat[512];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    process_file(path, stat, sizeof stat);
    char *after = strrchr(stat, ')'); /* the name in front may hold anything */
    return after == NULL || strlen(after) < 5 ? 0 : (pid_t)strtol(after + 4, NULL, 10);
}

unsigned processes_read(struct process *to) {
    unsigned count = 0;
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    while (proc != NULL && count < PROCESSES_MOST && (entry = readdir(proc)) != NULL) {
        if (isdigit((unsigned char)entry->d_name[0])) {
            to[count++].pid = (pid_t)strtol(entry->d_name, NULL, 10);
        }
    }
    if (proc != NULL) {
        closedir(proc);
    }
    for (unsigned i = 0; i < count; i++) {
        to[i].parent = parent_of(to[i].pid);
    }
    return count;
}

static int among(pid_t pid, const pid_t *roots, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        if (roots[i] == pid && pid > 0) {
            return (int)i;
        }
    }
    return -1;
}

int process_root(const struct process *all, unsigned count, unsigned at, const pid_t *roots, unsigned root_count) {
    for (unsigned depth = 0; depth < PROCESSES_MOST; depth++) {
        int root = among(all[at].pid, roots, root_count);
        unsigned up = 0;
        while (up < count && all[up].pid != all[at].parent) {
            up++;
        }
        if (root >= 0 || up == count) {
            return root >= 0 ? root : among(all[at].parent, roots, root_count);
        }
        at = up;
    }
    return -1;
}

uint64_t process_memory(pid_t pid) {
    char path[64], text[128];
    unsigned long long resident = 0, shared = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", pid);
    process_file(path, text, sizeof text);
    if (sscanf(text, "%*u %llu %llu", &resident, &shared) != 2 || resident < shared) {
        return 0;
    }
    return (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}
