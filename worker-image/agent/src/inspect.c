/* quiver-agent slots: what the slots of this worker are doing, for people. Maps everything read-only, changes nothing. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent.h"
#include "processes.h"
#include "quiver/slots.h"

enum { SAID = 48, RECORD_MOST = 1024 * 1024 };

static const char *const states[] = {"?",     "waiting", "pending",  "running", "cancelled",
                                     "retry", "failed",  "complete", "cleaning"};

/* The agent's `exec` by way of one of this process's descriptors; NULL when it has none for this control. */
static const struct qv_exec *exec_of(pid_t pid, const struct qv_control *control, size_t bytes) {
    char path[64], target[64];
    snprintf(path, sizeof path, "/proc/%d/fd", pid);
    DIR *folder = opendir(path);
    struct dirent *entry;
    const struct qv_exec *found = NULL;
    while (folder != NULL && found == NULL && (entry = readdir(folder)) != NULL) {
        ssize_t length = readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1);
        target[length < 0 ? 0 : length] = 0;
        int fd = strncmp(target, "/memfd:quiver-exec", 18) == 0
                     ? openat(dirfd(folder), entry->d_name, O_RDONLY | O_CLOEXEC) : -1;
        if (fd >= 0) {
            const struct qv_exec *at = lseek(fd, 0, SEEK_END) < (off_t)bytes
                                           ? MAP_FAILED : mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
            close(fd);
            if (at != MAP_FAILED && at->prologue.magic == QV_EXEC_MAGIC && at->prologue.major == QV_MAJOR
                && memcmp(at->prologue.region_id, control->prologue.region_id, 16) == 0) {
                found = at;
            } else if (at != MAP_FAILED) {
                munmap((void *)at, bytes);
            }
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return found;
}

static const struct qv_exec *find_exec(const struct qv_control *control) {
    struct process *all = malloc(PROCESSES_MOST * sizeof *all);
    unsigned count = all == NULL ? 0 : processes_read(all);
    const struct qv_exec *found = NULL;
    for (unsigned i = 0; i < count && found == NULL; i++) {
        found = exec_of(all[i].pid, control, QV_HEADER_BYTES + (size_t)control->prologue.slots * QV_STRIDE);
    }
    free(all);
    return found;
}

/* At most SAID bytes of a text, whatever it holds; "-" when it is empty. */
static const char *printable(const char *text, size_t length, char *to) {
    length = strnlen(text, qv_utf8_cut(text, length, SAID));
    for (size_t i = 0; i < length; i++) {
        to[i] = (unsigned char)text[i] < ' ' || text[i] == 0x7F ? '?' : text[i];
    }
    to[length] = 0;
    return length == 0 ? strcpy(to, "-") : to;
}

/* The task that a slot has, of a batch the one that is under way. */
struct shown {
    char task[SAID + 24], what[SAID + 1];
    uint32_t trial, allowed;
    uint64_t in_length;
};

/* The handler's name or the command's words, from a copy of the record: the supervisor may be writing the next one. */
static void what_runs(int fd, uint64_t at, char *to) {
    static char record[RECORD_MOST];
    char words[512] = "";
    struct qv_command command;
    struct qv_error error;
    ssize_t got = fd < 0 ? -1 : pread(fd, record, sizeof record, (off_t)at);
    if (got <= 0 || qv_command_parse(record, (size_t)got, &command, &error) < 0) {
        strcpy(to, "-");
        return;
    }
    size_t filled = 0;
    const char *word = command.strings;
    for (uint32_t i = 0; i < command.argc && filled + 1 < sizeof words; i++, word += strlen(word) + 1) {
        filled += (size_t)snprintf(words + filled, sizeof words - filled, "%s%s", i == 0 ? "" : " ", word);
    }
    printable(words, strlen(words), to);
}

/* Of a batch: the task under way, with its number behind its name. Returns where its record lies, 0: it is no batch. */
static uint64_t show_batch(int fd, const struct qv_control_slot *control, const struct qv_exec_slot *exec,
                           struct shown *to) {
    struct qv_batch_entry entry;
    char name[SAID + 1];
    off_t size = fd < 0 || (control->flags & QV_BATCH) == 0 ? -1 : lseek(fd, 0, SEEK_END);
    void *input = size <= 0 ? MAP_FAILED : mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0);
    if (input == MAP_FAILED) {
        return 0;
    }
    uint32_t count, at = qv_batch_at(control, exec, input, (uint64_t)size, &entry, &count);
    munmap(input, (size_t)size);
    if (at == 0) {
        return 0;
    }
    size_t length = entry.name_length < QV_NAME_BYTES ? entry.name_length : QV_NAME_BYTES;
    snprintf(to->task, sizeof to->task, "%s (%u/%u)", printable(entry.name, length, name), at, count);
    to->trial = entry.trial;
    to->allowed = entry.allowed;
    to->in_length = entry.in_length;
    return entry.record_offset;
}

static void show(const char *in, unsigned slot, const struct qv_control_slot *control, const struct qv_exec_slot *exec,
                 struct shown *to) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/task-%u.in", in, slot);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    uint64_t record = show_batch(fd, control, exec, to);
    if (record == 0) {
        printable(control->name, control->name_length < QV_NAME_BYTES ? control->name_length : QV_NAME_BYTES, to->task);
        to->trial = control->trial;
        to->allowed = control->allowed;
        to->in_length = control->in_length;
        record = qv_command_offset(control->in_length);
    }
    what_runs(fd, record, to->what);
    if (fd >= 0) {
        close(fd);
    }
}

static const char *duration(uint64_t ns, char *to, size_t size) {
    uint64_t seconds = ns / UINT64_C(1000000000);
    if (seconds < 60) {
        snprintf(to, size, "%llu.%03llus", (unsigned long long)seconds, (unsigned long long)(ns / 1000000 % 1000));
    } else {
        snprintf(to, size, "%lluh%02llum%02llus", (unsigned long long)(seconds / 3600),
                 (unsigned long long)(seconds / 60 % 60), (unsigned long long)(seconds % 60));
    }
    return to;
}

static const char *const row = "%-5s %-10s %-6s %-32s %-32s %-8s %-11s %-10s %-10s %-12s %-8s %s\n";

static void print_slot(const char *in, unsigned slot, const struct qv_control_slot *control,
                       const struct qv_exec_slot *exec) {
    char number[16], generation[24], trial[32] = "-", elapsed[32] = "-", in_bytes[24] = "-", out_bytes[24] = "-";
    char progress[48] = "-", pid[16] = "-", worker[SAID + 1];
    struct shown shown = {.task = "-", .what = "-"};
    uint64_t s = atomic_load(&control->word), u = atomic_load(&exec->word);
    unsigned state = qv_state_of(s, u), stage = qv_code(u);
    bool begun = qv_generation(s) == qv_generation(u) && stage != QV_READY;
    snprintf(number, sizeof number, "%u", slot);
    snprintf(generation, sizeof generation, "%llu", (unsigned long long)qv_generation(s));
    if (state != QV_STATE_WAITING && state != 0) {
        show(in, slot, control, exec, &shown);
        snprintf(trial, sizeof trial, shown.allowed == 0 ? "%u" : "%u/%u", shown.trial, shown.allowed);
        snprintf(in_bytes, sizeof in_bytes, "%llu", (unsigned long long)shown.in_length);
    }
    if (begun && exec->started != 0) {
        uint64_t until = stage == QV_RUNNING ? qv_now() : exec->ended;
        duration(until > exec->started ? until - exec->started : 0, elapsed, sizeof elapsed);
        snprintf(pid, sizeof pid, "%u", exec->pid);
        if (stage == QV_COMPLETE) {
            snprintf(out_bytes, sizeof out_bytes, "%llu", (unsigned long long)exec->out_length);
        }
        if (exec->progress != 0 || exec->total != 0) {
            snprintf(progress, sizeof progress, exec->total == 0 ? "%llu" : "%llu/%llu",
                     (unsigned long long)exec->progress, (unsigned long long)exec->total);
        }
    }
    printf(row, number, states[state], generation, shown.task, shown.what, trial, elapsed, in_bytes, out_bytes, progress, pid,
           printable(control->worker, sizeof control->worker, worker));
}

static void print_handlers(const struct qv_exec *exec) {
    char names[QV_HANDLERS_BYTES];
    struct qv_error error;
    uint32_t before = atomic_load(&exec->handlers_sequence), length = exec->handlers_length;
    if (before % 2 != 0 || length == 0 || length > sizeof names) {
        return;
    }
    memcpy(names, exec->handlers, length);
    if (atomic_load(&exec->handlers_sequence) != before || qv_names_check(names, length, &error) < 0) {
        return;
    }
    printf("\nhandlers: ");
    for (uint32_t i = 0; i < length; i++) {
        fputs(names[i] == '\n' ? ", " : (char[]){names[i], 0}, stdout);
    }
    printf("\n");
}

int agent_inspect(void) {
    const char *named = getenv("QUIVER_IN"), *in = named != NULL && *named != 0 ? named : "/quiver/in";
    char path[PATH_BYTES];
    struct qv_error error;
    struct qv_region region = {.exec_fd = -1};
    snprintf(path, sizeof path, "%s/control", in);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        fprintf(stderr, "quiver-agent: %s: %s. Is this a worker, and has its supervisor started?\n", path,
                strerror(errno));
        return EXIT_WORDS;
    }
    int mapped = qv_control_map(fd, &region, &error);
    close(fd);
    if (mapped < 0) {
        fprintf(stderr, "quiver-agent: %s\n", error.text);
        return EXIT_WORDS;
    }
    const struct qv_exec *exec = find_exec(region.control);
    if (exec == NULL) {
        fprintf(stderr, "quiver-agent: no agent serves %s in this container: look in the pod's worker container, as its"
                        " user; if you do, the agent has not met its supervisor yet\n", in);
        return EXIT_WORDS;
    }
    printf(row, "SLOT", "STATE", "GEN", "TASK", "HANDLER/COMMAND", "TRIAL", "ELAPSED", "IN", "OUT", "PROGRESS", "PID",
           "WORKER");
    for (unsigned slot = 0; slot < region.control->prologue.slots; slot++) {
        print_slot(in, slot, &region.control->slot[slot], &exec->slot[slot]);
    }
    print_handlers(exec);
    return 0;
}
