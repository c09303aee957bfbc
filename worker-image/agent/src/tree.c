#define _GNU_SOURCE
#include "tree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "quiver/slots.h"

static void add(struct timeval *sum, struct timeval more) {
    sum->tv_sec += more.tv_sec + (sum->tv_usec + more.tv_usec) / 1000000;
    sum->tv_usec = (sum->tv_usec + more.tv_usec) % 1000000;
}

static void account(struct reaped *reaped, pid_t pid, int status, const struct rusage *usage) {
    if (reaped->spared != NULL && pid == reaped->spared->pid) {
        reaped->spared->ended = true;
        reaped->spared->status = status;
        reaped->spared->usage = *usage;
        return;
    }
    if (pid == reaped->leader) {
        reaped->leader_ended = true;
        reaped->leader_status = status;
    }
    add(&reaped->usage.ru_utime, usage->ru_utime);
    add(&reaped->usage.ru_stime, usage->ru_stime);
    if (usage->ru_maxrss > reaped->usage.ru_maxrss) {
        reaped->usage.ru_maxrss = usage->ru_maxrss;
    }
}

void tree_reap(struct reaped *reaped) {
    for (;;) {
        int status;
        struct rusage usage;
        pid_t pid = wait4(-1, &status, WNOHANG, &usage);
        if (pid <= 0) {
            reaped->empty = pid < 0 && errno == ECHILD;
            return;
        }
        account(reaped, pid, status, &usage);
    }
}

static size_t slurp(const char *path, char *to, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    ssize_t n = read(fd, to, size - 1);
    close(fd);
    to[n < 0 ? 0 : n] = 0;
    return n < 0 ? 0 : (size_t)n;
}

static pid_t parent_of(pid_t pid) {
    char path[64], stat[512];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    slurp(path, stat, sizeof stat);
    char *after = strrchr(stat, ')'); /* the name in front may hold anything */
    return after == NULL || strlen(after) < 5 ? 0 : (pid_t)strtol(after + 4, NULL, 10);
}

enum { MOST = 4096 };

/* The processes that /proc shows, at most MOST. */
static unsigned processes(pid_t *to) {
    unsigned count = 0;
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    while (proc != NULL && count < MOST && (entry = readdir(proc)) != NULL) {
        if (isdigit((unsigned char)entry->d_name[0])) {
            to[count++] = (pid_t)strtol(entry->d_name, NULL, 10);
        }
    }
    if (proc != NULL) {
        closedir(proc);
    }
    return count;
}

void tree_signal(int signal, const struct spared *spared) {
    pid_t *pids = malloc(MOST * sizeof *pids), *parents = malloc(MOST * sizeof *parents);
    if (pids != NULL && parents != NULL) {
        unsigned count = processes(pids);
        for (unsigned i = 0; i < count; i++) {
            parents[i] = parent_of(pids[i]);
        }
        pid_t self = getpid(), other = spared == NULL ? 0 : spared->pid;
        for (unsigned i = 0; i < count; i++) {
            pid_t up = pids[i] == other ? 0 : parents[i];
            for (unsigned depth = 0; up > 1 && up != self && up != other && depth < MOST; depth++) {
                unsigned j = 0;
                while (j < count && pids[j] != up) {
                    j++;
                }
                up = j < count ? parents[j] : 0;
            }
            if (up == self) {
                kill(pids[i], signal);
            }
        }
    }
    free(pids);
    free(parents);
}

/* Direct children of this process; from its own list where the kernel keeps one, else from all of /proc. */
static unsigned children(pid_t *to) {
    static char text[MOST * 8];
    unsigned count = 0;
    if (access("/proc/thread-self/children", F_OK) == 0) {
        slurp("/proc/thread-self/children", text, sizeof text);
        for (char *at = text; count < MOST && *at != 0;) {
            to[count++] = (pid_t)strtol(at, &at, 10);
            at += strspn(at, " \n");
        }
        return count;
    }
    pid_t self = getpid();
    unsigned all = processes(to);
    for (unsigned i = 0; i < all; i++) {
        if (parent_of(to[i]) == self) {
            to[count++] = to[i];
        }
    }
    return count;
}

static bool among(pid_t pid, const pid_t *list, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        if (list[i] == pid) {
            return true;
        }
    }
    return false;
}

/* Kills once who is a child and not spared, with its process group. Returns how many there were. */
static unsigned kill_children(pid_t *pids, const pid_t *spare, unsigned spares) {
    unsigned left = 0, count = children(pids);
    pid_t own = getpgrp();
    for (unsigned i = 0; i < count; i++) {
        if (among(pids[i], spare, spares)) {
            continue;
        }
        pid_t group = getpgid(pids[i]);
        kill(pids[i], SIGKILL);
        if (group > 1 && group != own) {
            kill(-group, SIGKILL); /* at one stroke: nobody in it can fork in between */
        }
        pids[left++] = pids[i];
    }
    return left;
}

/* `reaped` NULL: the spared are reaped by somebody who wants to know how they ended. */
static bool kill_all(struct reaped *reaped, const pid_t *spare, unsigned spares, unsigned millis) {
    uint64_t until = qv_now() + (uint64_t)millis * 1000000;
    pid_t *pids = malloc(MOST * sizeof *pids);
    if (pids == NULL) {
        return false;
    }
    bool clean = false;
    for (unsigned round = 0; !clean; round++) {
        unsigned left = kill_children(pids, spare, spares);
        if (reaped != NULL) {
            tree_reap(reaped);
        }
        for (unsigned i = 0; reaped == NULL && i < left; i++) {
            waitpid(pids[i], NULL, WNOHANG);
        }
        /* The list of children may miss one that moves at that moment: where nobody is spared, wait4 has the word. */
        clean = spares > 0 || reaped == NULL ? left == 0 : reaped->empty;
        if (!clean && qv_now() > until) {
            break;
        }
        if (!clean && round > 2) { /* the killed need a moment to die; their children come to us meanwhile */
            nanosleep(&(struct timespec){.tv_nsec = round < 50 ? 100000 : 2000000}, NULL);
        }
    }
    free(pids);
    return clean;
}

bool tree_kill(struct reaped *reaped, unsigned millis) {
    bool spares = reaped->spared != NULL && reaped->spared->pid > 0 && !reaped->spared->ended;
    return kill_all(reaped, spares ? &reaped->spared->pid : NULL, spares, millis);
}

bool tree_kill_orphans(const pid_t *spare, unsigned spares, unsigned millis) {
    return kill_all(NULL, spare, spares, millis);
}

unsigned tree_kill_marked(const char *marker) {
    static char environment[256 * 1024];
    pid_t *pids = malloc(MOST * sizeof *pids), self = getpid();
    unsigned found = 0, count = pids == NULL ? 0 : processes(pids);
    for (unsigned i = 0; i < count; i++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/environ", pids[i]);
        size_t length = pids[i] == self ? 0 : slurp(path, environment, sizeof environment);
        if (length > 0 && memmem(environment, length, marker, strlen(marker)) != NULL
            && kill(pids[i], SIGKILL) == 0) {
            found++;
        }
    }
    free(pids);
    return found;
}
