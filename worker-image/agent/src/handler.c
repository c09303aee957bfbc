/* Opening a slot from a handler's environment, and taking its tasks. */
#define _GNU_SOURCE
#include "handler.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "turn.h"

uint32_t qv_version(void) { return (uint32_t)QV_MAJOR << 16 | QV_MINOR; }

static int number(const char *variable, long most, struct qv_error *error) {
    const char *text = getenv(variable);
    char *end;
    long value = text == NULL ? -1 : strtol(text, &end, 10);
    if (value < 0 || value > most || *end != 0 || end == text) {
        return qv_fail(error, "%s is %s: this process was not started as a handler by quiver-agent", variable,
                       text == NULL ? "not set" : text);
    }
    return (int)value;
}

static const char *folder(const char *variable, struct qv_error *error) {
    const char *path = getenv(variable);
    if (path == NULL || *path == 0 || strlen(path) > HANDLER_PATH - 64) {
        qv_fail(error, "%s is not a folder's path: this process was not started as a handler by quiver-agent", variable);
        return NULL;
    }
    return path;
}

static int map_control(struct qv_handler *h, const char *in, struct qv_error *error) {
    char path[HANDLER_PATH];
    snprintf(path, sizeof path, "%s/control", in);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return qv_fail(error, "%s: %s", path, strerror(errno));
    }
    int mapped = qv_control_map(fd, &h->region, error);
    close(fd);
    return mapped;
}

static int map_input(struct qv_handler *h, struct qv_error *error) {
    int fd = open(h->input_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
    void *at = size <= 0 ? MAP_FAILED : mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) {
        qv_fail(error, "%s: %s", h->input_path, strerror(errno));
    } else {
        h->input = at;
        h->input_bytes = (size_t)size;
    }
    if (fd >= 0) {
        close(fd);
    }
    return at == MAP_FAILED ? -1 : 0;
}

/* The version of the slots that the agent speaks; of early ones 0. */
static long agent_minor(void) {
    const char *minor = getenv("QUIVER_MINOR");
    return minor == NULL ? 0 : strtol(minor, NULL, 10);
}

static int open_slot(struct qv_handler *h, struct qv_error *error) {
    const char *in = folder("QUIVER_IN", error), *out = in == NULL ? NULL : folder("QUIVER_OUT", error);
    if (out == NULL) {
        return -1;
    }
    int slot = number("QUIVER_SLOT", QV_MAX_SLOTS - 1, error), exec_fd = -1;
    if (slot < 0 || (h->turn_fd = number("QUIVER_TURN_FD", INT32_MAX, error)) < 0
        || (exec_fd = number("QUIVER_EXEC_FD", INT32_MAX, error)) < 0 || map_control(h, in, error) < 0) {
        return -1;
    }
    if ((unsigned)slot >= h->region.control->prologue.slots) {
        return qv_fail(error, "QUIVER_SLOT is %d, the worker has %u slots", slot, h->region.control->prologue.slots);
    }
    if (qv_exec_map(exec_fd, &h->region, error) < 0) {
        return -1;
    }
    h->slot = (unsigned)slot;
    h->streams = agent_minor() >= QV_MINOR_STREAMS;
    snprintf(h->input_path, sizeof h->input_path, "%s/task-%u.in", in, h->slot);
    snprintf(h->out_dir, sizeof h->out_dir, "%s", out);
    fcntl(h->turn_fd, F_SETFD, FD_CLOEXEC);
    fcntl(exec_fd, F_SETFD, FD_CLOEXEC);
    return map_input(h, error);
}

struct qv_handler *qv_handler_open(char *words, uint32_t room) {
    struct qv_error error = {"no memory"};
    struct qv_handler *h = calloc(1, sizeof *h);
    if (h != NULL) {
        h->turn_fd = h->out_fd = h->region.exec_fd = -1;
        if (open_slot(h, &error) == 0) {
            return h;
        }
        qv_handler_close(h);
    }
    if (words != NULL && room > 0) {
        snprintf(words, room, "%s", error.text);
    }
    return NULL;
}

void qv_handler_close(struct qv_handler *h) {
    if (h == NULL) {
        return;
    }
    if (h->input != NULL) {
        munmap((void *)h->input, h->input_bytes);
    }
    if (h->region.control != NULL) {
        qv_region_close(&h->region);
    }
    if (h->out_fd >= 0) {
        close(h->out_fd);
    }
    if (h->turn_fd >= 0) {
        close(h->turn_fd);
    }
    free(h);
}

const char *qv_handler_words(const struct qv_handler *h) { return h->error.text; }

uint32_t qv_handler_slot(const struct qv_handler *h) { return h->slot; }

const char *qv_handler_input_path(const struct qv_handler *h) { return h->input_path; }

int qv_handler_batches(struct qv_handler *h) {
    if (h->announced) {
        return qv_fail(&h->error, "the handlers' names were announced already");
    }
    h->batches = agent_minor() >= QV_MINOR_BATCHES
                 && h->region.exec_bytes >= qv_exec_size(h->region.control->prologue.slots);
    return 0;
}

int qv_handler_announce(struct qv_handler *h, const char *names) {
    if (h->announced) {
        return qv_fail(&h->error, "the handlers' names were announced already");
    }
    if (qv_names_check(names, strlen(names), &h->error) < 0) {
        return -1;
    }
    uint64_t version = QV_MAJOR | (h->batches ? (uint64_t)QV_MINOR << 16 : 0);
    if (turn_send(h->turn_fd, QV_TURN_HELLO, version, names, strlen(names)) < 0) {
        return qv_fail(&h->error, "the agent has gone");
    }
    h->announced = true;
    return 0;
}

int qv_handler_packet(const struct qv_handler *h, uint32_t slot, uint8_t *to) {
    struct qv_packet packet;
    if (slot >= h->region.control->prologue.slots
        || qv_packet_of(&h->region.control->slot[slot], &h->region.exec->slot[slot], qv_now(), &packet) < 0) {
        return -1;
    }
    struct qv_batch_entry entry;
    uint32_t count;
    if (slot == h->slot && qv_batch_at(handler_control(h), handler_exec(h), h->input, h->input_bytes, &entry, &count) > 0) {
        qv_packet_task(&packet, &entry);
    }
    qv_packet_encode(&packet, to);
    return 0;
}

uint64_t handler_cpu(void) {
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * UINT64_C(1000000000) + (uint64_t)used.tv_nsec;
}

int handler_record(struct qv_handler *h, uint64_t at, uint64_t end, struct qv_command *command) {
    if (end > h->input_bytes || at >= end) {
        return qv_fail(&h->error, "a payload leaves no room for its record at %llu of %zu", (unsigned long long)at,
                       h->input_bytes);
    }
    if (qv_command_parse(h->input + at, end - at, command, &h->error) < 0) {
        return -1;
    }
    return command->argc == 1 ? 0 : qv_fail(&h->error, "a handler's record has %u words: allowed is 1", command->argc);
}

void handler_describe(struct qv_handler *h, const struct qv_task *task, struct qv_task *to) {
    struct qv_task all = *task;
    all.bytes = to->bytes;
    all.deadline = qv_task_deadline(h);
    memcpy(to, &all, to->bytes < sizeof all ? to->bytes : sizeof all);
}

const char *handler_name(struct qv_handler *h, const char *name, uint32_t length) {
    length = length < QV_NAME_BYTES ? length : QV_NAME_BYTES;
    memcpy(h->name, name, length);
    h->name[length] = 0;
    return h->name;
}

void handler_variables(const struct qv_command *command, struct qv_task *task) {
    const char *environment = command->strings + strlen(command->strings) + 1, *end = environment;
    for (uint32_t i = 0; i < command->envc; i++) {
        end += strlen(end) + 1;
    }
    task->handler = command->strings;
    task->environment = environment;
    task->environment_count = command->envc;
    task->environment_bytes = (uint64_t)(end - environment);
}

/* The slot's only task. */
static int describe(struct qv_handler *h, struct qv_task *to) {
    const struct qv_control_slot *control = handler_control(h);
    struct qv_command command;
    /* The command record behind the payload carries the handler's name and the task's variables. */
    uint64_t length = control->in_length, at = length > h->input_bytes ? length : qv_command_offset(length);
    if (handler_record(h, at, h->input_bytes, &command) < 0) {
        return -1;
    }
    struct qv_task task = {.trial = control->trial,
                           .allowed = control->allowed,
                           .format = control->format & QV_FORMAT_MASK,
                           .locator = control->flags & QV_INPUT_LOCATOR,
                           .generation = atomic_load(&h->running),
                           .input = h->input,
                           .input_length = control->in_length,
                           .output_limit = control->out_limit,
                           .name = handler_name(h, control->name, control->name_length),
                           .id = control->task,
                           .kept_bytes = h->streams ? command.kept_bytes : 0};
    h->kept = task.kept_bytes;
    handler_variables(&command, &task);
    handler_describe(h, &task, to);
    return 0;
}

/* The task under way is the caller's, or the trial ends because it cannot be read. */
static bool give(struct qv_handler *h, struct qv_task *task) {
    int described = h->batch.count == 0 ? describe(h, task) : batch_describe(h, h->batch.at, task);
    if (described < 0) {
        qv_exec_message(handler_exec(h), QV_BAD_RECORD, h->error.text, strlen(h->error.text));
        handler_post(h, QV_RETRY);
        return false;
    }
    h->step = STEP_RUNNING;
    h->let_go = false;
    return true;
}

/* pending → running, or → retry when the record cannot be read. */
static bool begin(struct qv_handler *h, uint64_t generation, struct qv_task *task) {
    struct qv_exec_slot *exec = qv_exec_clear(&h->region, h->slot);
    exec->started = qv_now();
    exec->pid = (uint32_t)getpid();
    h->written = h->out_from = 0;
    h->format = QV_BYTES;
    h->cpu_before = handler_cpu();
    int opened = batch_open(h); /* before other threads may ask for the deadline */
    atomic_store(&h->running, generation);
    if (opened < 0) {
        qv_exec_message(exec, QV_BAD_RECORD, h->error.text, strlen(h->error.text));
        handler_post(h, QV_RETRY);
        return false;
    }
    bool given = give(h, task);
    if (given) {
        handler_prints(h);
        qv_store(&h->region, h->slot, qv_word(generation, QV_RUNNING));
    }
    return given;
}

/* The next task of the batch; false when it ends before that one. */
static bool go_on(struct qv_handler *h, struct qv_task *task) {
    if (handler_called_off(h) || atomic_load(&h->stopping)) {
        batch_cut(h);
        return false;
    }
    return give(h, task);
}

/* Milliseconds until then, at most a sweep. */
static unsigned patience(uint64_t until) {
    uint64_t now = qv_now(), left = until > now ? (until - now + 999999) / 1000000 : 0;
    return left < HANDLER_SWEEP_MS ? (unsigned)left : HANDLER_SWEEP_MS;
}

/* Whether the socket is to be read now: between two tasks of a batch a millisecond passes before it is again. */
static bool hears(struct qv_handler *h) {
    uint64_t now = qv_now();
    if (batch_goes_on(h) && now - h->heard < UINT64_C(1000000)) {
        return false;
    }
    h->heard = now;
    return true;
}

int qv_handler_take(struct qv_handler *h, struct qv_task *task, int32_t millis) {
    if (!h->announced || h->step != STEP_IDLE) {
        return qv_fail(&h->error, h->announced ? "the last task is not released" : "no handlers were announced");
    }
    uint64_t until = millis < 0 ? UINT64_MAX : qv_now() + (uint64_t)millis * 1000000, ignored;
    for (;;) {
        if (!atomic_load(&h->watched) && hears(h)) {
            handler_hear(h, false, &ignored);
        }
        if (batch_goes_on(h)) {
            if (go_on(h, task)) {
                return QV_TAKEN;
            }
            if (qv_task_release(h) < 0) {
                return -1;
            }
        }
        if (atomic_load(&h->stopping)) {
            return QV_STOP;
        }
        unsigned wait = patience(until);
        if (!atomic_load(&h->turn)) {
            if (wait == 0) {
                return QV_NOTHING;
            }
            handler_wait_turn(h, wait);
            continue;
        }
        uint64_t s = qv_supervisor_word(&h->region, h->slot);
        enum qv_duty duty = qv_duty_of(s, qv_executor_word(&h->region, h->slot));
        if (duty == QV_WAIT) {
            if (wait == 0) {
                return QV_NOTHING;
            }
            qv_wait(&h->region, h->slot, s, wait);
        } else if (duty == QV_START && handler_control(h)->kind == QV_KIND_HANDLER) {
            if (begin(h, qv_generation(s), task)) {
                return QV_TAKEN;
            }
            if (qv_task_release(h) < 0) {
                return -1;
            }
        } else if (handler_yield(h, QV_TURN_COMMAND, qv_generation(s)) < 0) {
            return QV_STOP;
        }
    }
}
