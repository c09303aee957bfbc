/*
 * An agent whose tasks are finished as soon as they are started: everything of the real one (socket, sealed memory, one
 * runner process for each slot, the words, the doorbell) except the command. It is put in the agent's place by the
 * benchmarks, which measure what dispatches tasks, not what they do.
 *
 *   QUIVER_BENCH_EXECUTOR      `runners` (as the real agent has them), or `one`: a single thread serves all slots, so that
 *                              the kernel's switching between processes does not hide what Quiver costs
 *   QUIVER_BENCH_STARTS        file of u64: at the index that the task's name says, CLOCK_MONOTONIC ns of its start
 *   QUIVER_BENCH_WORK_MICROS   how long each task takes; 0 for not at all. Beside QUIVER_BENCH_STARTS
 *                              only a task whose name is an index takes it
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent.h"
#include "runner.h"

static _Atomic uint64_t *starts;
static size_t starts_length;
static uint64_t work_ns;

/* The task's name is its index; a task of another name warms up: it is not timed and takes no time. */
static bool note_start(const struct qv_control_slot *control, uint64_t now) {
    size_t index = 0;
    uint32_t length = control->name_length;
    for (uint32_t i = 0; i < length && i < QV_NAME_BYTES; i++) {
        unsigned digit = (unsigned)(control->name[i] - '0');
        if (digit > 9) {
            return false;
        }
        index = index * 10 + digit;
    }
    if (length > 0 && index < starts_length) {
        atomic_store(&starts[index], now);
    }
    return true;
}

static enum qv_stage finish_at_once(struct runner *runner, void *none) {
    (void)none;
    struct qv_exec_slot *exec = runner_exec(runner);
    const struct qv_control_slot *control = runner_control(runner);
    uint64_t generation = qv_generation(qv_supervisor_word(runner->region, runner->slot));
    exec->started = qv_now();
    qv_store(runner->region, runner->slot, qv_word(generation, QV_RUNNING));
    bool timed = starts == NULL || note_start(control, exec->started);
    if (timed && work_ns > 0) {
        struct timespec work = {.tv_sec = (time_t)(work_ns / 1000000000), .tv_nsec = (long)(work_ns % 1000000000)};
        nanosleep(&work, NULL);
    }
    exec->ended = qv_now();
    exec->exit = 0;
    qv_exec_next(runner->region, runner->slot);
    return QV_COMPLETE;
}

static int nothing_to_clean(struct runner *runner, void *none, struct qv_error *error) {
    (void)runner, (void)none, (void)error;
    return 0;
}

/* Does what S asks of a slot; false when that is nothing. Does not ring. */
static bool act(struct runner *all, unsigned slot) {
    uint64_t s = qv_supervisor_word(all->region, slot), u = qv_executor_word(all->region, slot);
    all->slot = slot;
    switch (qv_duty_of(s, u)) {
    case QV_START:
        runner_clear(all);
        qv_store(all->region, slot, qv_word(qv_generation(s), finish_at_once(all, NULL)));
        return true;
    case QV_DISCARD:
        runner_clear(all);
        qv_store(all->region, slot, qv_word(qv_generation(s), QV_CLEANING));
        qv_store(all->region, slot, qv_word(qv_generation(s), QV_READY));
        return true;
    case QV_CLEAN:
    case QV_RESUME:
        qv_store(all->region, slot, qv_word(qv_generation(u), QV_CLEANING));
        qv_store(all->region, slot, qv_word(qv_generation(u), QV_READY));
        return true;
    case QV_WAIT:
        return false;
    }
    return false;
}

/* musl brings no linux/futex.h. */
struct futex_waitv_entry {
    uint64_t value, address;
    uint32_t flags, zero;
};
enum { FUTEX_WAITV = 449, FUTEX_SIZE_U32 = 2, SWEEP_NS = 200000000 };

/* Sleeps until one of the S words changes: says for every slot that it sleeps, then looks again. */
static void park(struct qv_region *region, unsigned slots) {
    struct futex_waitv_entry words[QV_MAX_SLOTS];
    for (unsigned slot = 0; slot < slots; slot++) {
        atomic_store(&region->exec->slot[slot].parked, 1);
    }
    bool idle = true;
    for (unsigned slot = 0; slot < slots; slot++) {
        uint64_t s = qv_supervisor_word(region, slot);
        idle = idle && qv_duty_of(s, qv_executor_word(region, slot)) == QV_WAIT;
        words[slot] = (struct futex_waitv_entry){
            .value = (uint32_t)s, .address = (uintptr_t)&region->control->slot[slot].word, .flags = FUTEX_SIZE_U32};
    }
    if (idle) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += SWEEP_NS;
        if (until.tv_nsec >= 1000000000) {
            until.tv_sec++;
            until.tv_nsec -= 1000000000;
        }
        if (syscall(FUTEX_WAITV, words, slots, 0, &until, CLOCK_MONOTONIC) < 0 && errno == ENOSYS) {
            say("this kernel has no futex_waitv (Linux 5.16): QUIVER_BENCH_EXECUTOR=one cannot be");
            _exit(EXIT_WORDS);
        }
    }
    for (unsigned slot = 0; slot < slots; slot++) {
        atomic_store(&region->exec->slot[slot].parked, 0);
    }
}

_Noreturn static void serve_all(struct runner *runner) {
    struct runner all = *runner;
    unsigned slots = all.region->exec->prologue.slots;
    for (;;) {
        bool acted = false;
        for (unsigned slot = 0; slot < slots; slot++) {
            acted |= act(&all, slot);
        }
        if (acted) {
            qv_ring(all.region);
        } else {
            park(all.region, slots);
        }
    }
}

static struct executor noop_executor(struct runner *runner) {
    const char *kind = getenv("QUIVER_BENCH_EXECUTOR");
    if (kind != NULL && strcmp(kind, "one") == 0) {
        if (runner->slot == 0) {
            serve_all(runner);
        }
        for (;;) {
            pause(); /* slot 0 does our work */
        }
    }
    return (struct executor){.execute = finish_at_once, .clean = nothing_to_clean};
}

static void map_starts(const char *path) {
    int fd = open(path, O_RDWR | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) < 0) {
        say("QUIVER_BENCH_STARTS=%s cannot be opened", path);
        exit(EXIT_WORDS);
    }
    void *at = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (at == MAP_FAILED) {
        say("QUIVER_BENCH_STARTS=%s cannot be mapped", path);
        exit(EXIT_WORDS);
    }
    starts = at;
    starts_length = (size_t)status.st_size / sizeof *starts;
}

int main(void) {
    const char *path = getenv("QUIVER_BENCH_STARTS"), *work = getenv("QUIVER_BENCH_WORK_MICROS");
    work_ns = work == NULL ? 0 : strtoull(work, NULL, 10) * 1000;
    if (path != NULL) {
        map_starts(path);
    }
    return agent_run(noop_executor, NULL);
}
