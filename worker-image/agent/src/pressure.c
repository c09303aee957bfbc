#define _GNU_SOURCE
#include "pressure.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "processes.h"
#include "say.h"

enum { WATCH_PERCENT = 80, KILL_PERCENT = 95, CALM_MS = 200, TENSE_MS = 20, PAUSE_MS = 1000 };
#define MILLIS UINT64_C(1000000)

void pressure_open(struct pressure *p, const char *folder) {
    *p = (struct pressure){.look_at = 0};
    if (folder != NULL) {
        snprintf(p->folder, sizeof p->folder, "%s", folder);
    } else if (!memory_folder(p->folder, sizeof p->folder)) {
        p->folder[0] = 0;
    }
    if (!memory_kills_group(p->folder)) {
        p->folder[0] = 0;
    }
}

unsigned pressure_patience(const struct pressure *p, unsigned most) {
    uint64_t now = qv_now(), left = p->look_at > now ? (p->look_at - now) / MILLIS + 1 : 0;
    return p->folder[0] == 0 || left > most ? most : (unsigned)left;
}

/* Kills whatever has more memory below its runner than all others; the runners themselves hold next to none. */
static int kill_largest(const pid_t *runners, unsigned slots, struct shared *shared) {
    uint64_t bytes[QV_MAX_SLOTS] = {0};
    struct process *all = malloc(PROCESSES_MOST * sizeof *all);
    unsigned count = all == NULL ? 0 : processes_read(all);
    int largest = -1;
    for (unsigned i = 0; i < count; i++) {
        int slot = process_root(all, count, i, runners, slots);
        if (slot >= 0 && all[i].pid != runners[slot]) {
            bytes[slot] += process_memory(all[i].pid);
            largest = largest < 0 || bytes[slot] > bytes[largest] ? slot : largest;
        }
    }
    if (largest >= 0) {
        atomic_store(&shared->sacrificed[largest], true);
        for (unsigned i = 0; i < count; i++) {
            if (process_root(all, count, i, runners, slots) == largest && all[i].pid != runners[largest]) {
                kill(all[i].pid, SIGKILL);
            }
        }
        say("slot %d: its processes, with %llu MiB the largest here, are ended: the container is at %d %% of its memory"
            " limit, and beyond it the kernel would end them all", largest,
            (unsigned long long)(bytes[largest] >> 20), KILL_PERCENT);
    }
    free(all);
    return largest;
}

int pressure_look(struct pressure *p, const pid_t *runners, unsigned slots, struct shared *shared) {
    unsigned percent;
    uint64_t now = qv_now();
    if (p->folder[0] == 0 || now < p->look_at) {
        return -1;
    }
    p->look_at = now + CALM_MS * MILLIS; /* also without a limit: it may come later, and the agent sleeps until then */
    if (!memory_pressure(p->folder, &percent)) {
        return -1;
    }
    p->look_at = now + (percent >= WATCH_PERCENT ? TENSE_MS : CALM_MS) * MILLIS;
    if (percent < KILL_PERCENT || now < p->spare_until) {
        return -1;
    }
    p->spare_until = now + PAUSE_MS * MILLIS; /* what was killed needs a moment to give its pages back */
    return kill_largest(runners, slots, shared);
}
