#define _GNU_SOURCE
#include "tree.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "processes.h"
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

void tree_signal(int signal, const struct spared *spared) {
    struct process *all = malloc(PROCESSES_MOST * sizeof *all);
    unsigned count = all == NULL ? 0 : processes_read(all);
    pid_t roots[] = {getpid(), spared == NULL ? 0 : spared->pid};
    for (unsigned i = 0; i < count; i++) {
        if (all[i].pid != roots[0] && process_root(all, count, i, roots, 2) == 0) {
            kill(all[i].pid, signal);
        }
    }
    free(all);
}

/* Direct children of this process; from its own list where the kernel keeps one, else from all of /proc. */
static unsigned children(pid_t *to) {
    static char text[PROCESSES_MOST * 8];
    unsigned count = 0;
    if (access("/proc/thread-self/children", F_OK) == 0) {
        process_file("/proc/thread-self/children", text, sizeof text);
        for (char *at = text; count < PROCESSES_MOST && *at != 0;) {
            to[count++] = (pid_t)strtol(at, &at, 10);
            at += strspn(at, " \n");
        }
        return count;
    }
    struct process *all = malloc(PROCESSES_MOST * sizeof *all);
    unsigned found = all == NULL ? 0 : processes_read(all);
    for (unsigned i = 0; i < found; i++) {
        if (all[i].parent == getpid()) {
            to[count++] = all[i].pid;
        }
    }
    free(all);
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

bool tree_only_spared(const struct spared *spared) {
    pid_t *pids = spared == NULL ? NULL : malloc(PROCESSES_MOST * sizeof *pids);
    unsigned count = pids == NULL ? 0 : children(pids);
    bool only = count == 1 && pids[0] == spared->pid;
    free(pids);
    return only;
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
    pid_t *pids = malloc(PROCESSES_MOST * sizeof *pids);
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
    struct process *all = malloc(PROCESSES_MOST * sizeof *all);
    unsigned found = 0, count = all == NULL ? 0 : processes_read(all);
    for (unsigned i = 0; i < count; i++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/environ", all[i].pid);
        size_t length = all[i].pid == getpid() ? 0 : process_file(path, environment, sizeof environment);
        if (length > 0 && memmem(environment, length, marker, strlen(marker)) != NULL
            && kill(all[i].pid, SIGKILL) == 0) {
            found++;
        }
    }
    free(all);
    return found;
}
