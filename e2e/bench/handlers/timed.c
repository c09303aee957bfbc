/*
 * Handlers of the `task` benches in C, which note when they ran.
 *
 *   QUIVER_BENCH_SERVES        names of functions, joined by commas
 *   QUIVER_BENCH_TIMES         file of three u64 for each task: CLOCK_MONOTONIC ns of the start and of the end of its last
 *                              run, and how often it was run; a task beyond it is a warm-up and takes no time
 *   QUIVER_BENCH_WORK_MICROS   how long each task takes; 0 for not at all
 *
 * Each function gets the index of its task as first argument and returns it, but three:
 *   walk      an iterator; it gets the number of children, which are tasks of the function `a`, numbered from 0
 *   numbers   gets a number and returns the array of all numbers below it
 *   sum       gets numbers and returns their sum; it notes its run behind all tasks, in the last place of the file
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "quiver/handler.h"

enum { MOST_CHILDREN = 500 };

struct times {
    _Atomic uint64_t start, end, runs;
};

static struct times *times;
static size_t length;
static uint64_t work_ns;

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int pass(struct qv_handler *h, const char *json, uint64_t bytes) {
    if (qv_task_write(h, json, bytes) < 0) {
        return -1;
    }
    qv_task_format(h, QV_JSON, 0);
    qv_task_let_go(h);
    return qv_task_complete(h);
}

/* The number behind these characters of a text, 0 without them. */
static long after(const char *text, const char *what) {
    const char *at = strstr(text, what);
    return at == NULL ? 0 : strtol(at + strlen(what), NULL, 10);
}

static int walk(struct qv_handler *h, const char *input) {
    static char answer[64 * MOST_CHILDREN];
    long created = after(input, "\"created\":"), room = after(input, "\"room\":"), all = after(input, "\"args\":[");
    long more = all - created < room ? all - created : room;
    if (more <= 0) {
        return pass(h, "null", 4);
    }
    more = more < MOST_CHILDREN ? more : MOST_CHILDREN;
    size_t at = (size_t)sprintf(answer, "{\"state\":%ld,\"tasks\":[", created + more);
    for (long i = 0; i < more; i++) {
        at += (size_t)sprintf(answer + at, "%s{\"handler\":\"a\",\"args\":[%ld]}", i == 0 ? "" : ",", created + i);
    }
    at += (size_t)sprintf(answer + at, "]}");
    return pass(h, answer, at);
}

static int run(struct qv_handler *h, const char *input) {
    char text[24];
    size_t index = strtoull(input + 1, NULL, 10);
    struct times *mine = index < length ? &times[index] : NULL;
    if (mine != NULL) {
        atomic_fetch_add(&mine->runs, 1);
        atomic_store(&mine->start, now());
    }
    if (work_ns > 0 && (mine != NULL || times == NULL)) {
        struct timespec work = {.tv_sec = (time_t)(work_ns / 1000000000), .tv_nsec = (long)(work_ns % 1000000000)};
        nanosleep(&work, NULL);
    }
    if (mine != NULL) {
        atomic_store(&mine->end, now());
    }
    return pass(h, text, (uint64_t)sprintf(text, "%zu", index));
}

static int numbers(struct qv_handler *h, const char *input) {
    enum { MOST_DIGITS = 21 };
    size_t many = strtoull(input + 1, NULL, 10), at = 0;
    char *answer = malloc(many * MOST_DIGITS + 3);
    if (answer == NULL) {
        return -1;
    }
    answer[at++] = '[';
    for (size_t i = 0; i < many; i++) {
        at += (size_t)sprintf(answer + at, "%s%zu", i == 0 ? "" : ",", i);
    }
    answer[at++] = ']';
    int passed = pass(h, answer, at);
    free(answer);
    return passed;
}

/* Of any text with numbers between other characters. */
static int sum(struct qv_handler *h, const struct qv_task *task) {
    if (length > 0) {
        atomic_store(&times[length - 1].start, now());
    }
    uint64_t all = 0, number = 0;
    for (uint64_t i = 0; i < task->input_length; i++) {
        unsigned digit = (unsigned)task->input[i] - '0';
        number = digit < 10 ? number * 10 + digit : 0;
        all += digit < 10 ? number - (number - digit) / 10 : 0;
    }
    char text[24];
    return pass(h, text, (uint64_t)sprintf(text, "%llu", (unsigned long long)all));
}

static int serve(struct qv_handler *h, const struct qv_task *task) {
    if (strcmp(task->handler, "sum") == 0) {
        return sum(h, task);
    }
    char input[256] = "";
    memcpy(input, task->input, task->input_length < sizeof input ? task->input_length : sizeof input - 1);
    if (strcmp(task->handler, "numbers") == 0) {
        return numbers(h, input);
    }
    return strcmp(task->handler, "walk") == 0 ? walk(h, input) : run(h, input);
}

static int map_times(const char *path) {
    struct stat status;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) < 0) {
        perror(path);
        return -1;
    }
    length = (size_t)status.st_size / sizeof *times;
    times = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return times == MAP_FAILED ? -1 : 0;
}

int main(void) {
    char words[256], names[256] = "a";
    const char *path = getenv("QUIVER_BENCH_TIMES"), *work = getenv("QUIVER_BENCH_WORK_MICROS");
    const char *serves = getenv("QUIVER_BENCH_SERVES");
    snprintf(names, sizeof names, "%s", serves == NULL ? "a" : serves);
    for (char *comma = names; (comma = strchr(comma, ',')) != NULL;) {
        *comma = '\n';
    }
    work_ns = work == NULL ? 0 : strtoull(work, NULL, 10) * 1000;
    if (path != NULL && map_times(path) < 0) {
        return 1;
    }
    struct qv_handler *h = qv_handler_open(words, sizeof words);
    if (h == NULL || qv_handler_batches(h) < 0 || qv_handler_announce(h, names) < 0) {
        fprintf(stderr, "%s\n", h == NULL ? words : qv_handler_words(h));
        return 1;
    }
    struct qv_task task = {.bytes = sizeof task};
    while (qv_handler_take(h, &task, -1) == QV_TAKEN && serve(h, &task) == 0 && qv_task_release(h) == 0) {
    }
    qv_handler_close(h);
    return 0;
}
