/*
 * The handler of the integration tests: one function for each way in which a handler can behave. `handler [MODE]`:
 * `watched` also runs a watch thread (by clone of the C library's threads), `single` takes one task at a time, `mute`
 * never says hello, `dies` exits 3 at once, `slow FILE` says hello when there is the file, `talks` prints at its start
 * and when nothing has come for a while.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "quiver/handler.h"

#define SECOND UINT64_C(1000000000)

/* Longer than lines count as those of the task that ended. */
enum { IDLE_MS = 700 };

static void rest(long millis) {
    nanosleep(&(struct timespec){.tv_sec = millis / 1000, .tv_nsec = millis % 1000 * 1000000}, NULL);
}

static uint64_t now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (uint64_t)at.tv_sec * SECOND + (uint64_t)at.tv_nsec;
}

static long number(const struct qv_task *task) {
    char text[24] = "";
    memcpy(text, task->input, task->input_length < sizeof text ? task->input_length : sizeof text - 1);
    return strtol(text, NULL, 10);
}

static int write_text(struct qv_handler *h, const char *text) { return qv_task_write(h, text, strlen(text)); }

/* The input again, in its format. */
static int echo(struct qv_handler *h, const struct qv_task *task) {
    if (qv_task_write(h, task->input, task->input_length) < 0) {
        return qv_task_fail(h, QV_OUTPUT_TOO_LARGE, qv_handler_words(h), NULL, 0);
    }
    qv_task_format(h, task->format, task->locator);
    qv_task_let_go(h);
    return qv_task_complete(h);
}

/* Half a document, and says that it is JSON. */
static int half(struct qv_handler *h, const struct qv_task *task) {
    (void)task;
    write_text(h, "{\"a\": ");
    qv_task_format(h, QV_JSON, 0);
    qv_task_let_go(h);
    return qv_task_complete(h);
}

/* What the task was told. */
static int describe(struct qv_handler *h, const struct qv_task *task) {
    char text[1024];
    snprintf(text, sizeof text, "%s|%s|%u/%u|%u|%u|%s|", task->handler, task->name, task->trial, task->allowed,
             task->format, task->locator, task->deadline == 0 ? "none" : "deadline");
    write_text(h, text);
    const char *variable = task->environment;
    for (uint32_t i = 0; i < task->environment_count; i++, variable += strlen(variable) + 1) {
        write_text(h, variable);
        write_text(h, ";");
    }
    return qv_task_complete(h);
}

static int pid(struct qv_handler *h, const struct qv_task *task) {
    char text[24];
    (void)task;
    snprintf(text, sizeof text, "%d", getpid());
    write_text(h, text);
    qv_task_let_go(h);
    return qv_task_complete(h);
}

/* An exception with traceback; the input is the retry-after in ms. */
static int raise_error(struct qv_handler *h, const struct qv_task *task) {
    return qv_task_fail(h, QV_EXCEPTION, "ValueError: no such column", "Traceback\n  line 7\nValueError: no such column\n",
                        (uint64_t)number(task));
}

static int give_up(struct qv_handler *h, const struct qv_task *task) {
    (void)task;
    return qv_task_fail(h, QV_DO_NOT_RETRY, "GiveUp: never", NULL, 0);
}

/* Dies: input 0 by SIGSEGV, else with that exit code. */
static int die(struct qv_handler *h, const struct qv_task *task) {
    (void)h;
    fprintf(stderr, "my last words\n");
    if (number(task) == 0) {
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
    }
    _exit((int)number(task));
}

/* Works until it is asked to stop; progress counts up. */
static int obey(struct qv_handler *h, const struct qv_task *task) {
    uint32_t why = QV_REASON_NONE;
    (void)task;
    for (uint64_t i = 1; why == QV_REASON_NONE; i++) {
        rest(2);
        qv_task_progress(h, i, 1000000);
        why = qv_task_cancelled(h);
    }
    return qv_task_fail(h, why, "stopped as asked", NULL, 0);
}

/* Never looks. Leaves a child in a session of its own, too: one that sleeps for as long as the input says. */
static int hang(struct qv_handler *h, const struct qv_task *task) {
    char seconds[24];
    (void)h;
    snprintf(seconds, sizeof seconds, "%ld", number(task));
    if (fork() == 0) {
        setsid();
        execlp("sleep", "sleep", seconds, (char *)NULL);
        _exit(1);
    }
    for (;;) {
        pause();
    }
}

/* Runs twice as long as its limit allows, asking for more time; the input is how many ms in all. */
static int extend(struct qv_handler *h, const struct qv_task *task) {
    uint64_t until = now() + (uint64_t)number(task) * 1000000;
    while (now() < until) {
        uint32_t why = qv_task_cancelled(h);
        if (why != QV_REASON_NONE) {
            return qv_task_fail(h, why, "the extension was not granted", NULL, 0);
        }
        qv_task_extend(h, now() + 30 * SECOND);
        rest(10);
    }
    return qv_task_complete(h);
}

static int print(struct qv_handler *h, const struct qv_task *task) {
    printf("said by %.*s\n", (int)task->input_length, (const char *)task->input);
    fflush(stdout);
    rest(100);
    return qv_task_complete(h);
}

/* As many lines as the input says, and does not flush them. */
static int shout(struct qv_handler *h, const struct qv_task *task) {
    long lines = number(task);
    for (long line = 1; line <= lines; line++) {
        printf("%ld\n", line);
    }
    fprintf(stderr, "shouted %ld\n", lines);
    return qv_task_complete(h);
}

/* Prints and fails. */
static int complain(struct qv_handler *h, const struct qv_task *task) {
    (void)task;
    printf("so far");
    fprintf(stderr, "warned\n");
    return qv_task_fail(h, QV_EXCEPTION, "ValueError: no", "Traceback\nValueError: no\n", 0);
}

/* Prints, and works until there is the file that the input names, as text or as JSON. */
static int tell(struct qv_handler *h, const struct qv_task *task) {
    char text[256] = "", path[256] = "";
    memcpy(text, task->input, task->input_length < sizeof text ? task->input_length : sizeof text - 1);
    sscanf(text + (text[0] == '"'), "%255[^\"]", path);
    printf("telling\n");
    fflush(stdout);
    while (access(path, F_OK) != 0) {
        rest(5);
    }
    printf("told");
    return qv_task_complete(h);
}

/* Works until there is the file that the input names. */
static int gate(struct qv_handler *h, const struct qv_task *task) {
    char path[256] = "";
    memcpy(path, task->input, task->input_length < sizeof path ? task->input_length : sizeof path - 1);
    while (access(path, F_OK) != 0) {
        rest(5);
    }
    return qv_task_complete(h);
}

/* Removes its own output and says that it could not write it. */
static int spoil(struct qv_handler *h, const struct qv_task *task) {
    unlink(getenv("QUIVER_OUTPUT"));
    if (qv_task_write(h, task->input, task->input_length) < 0) {
        return qv_task_fail(h, QV_OUTPUT_INVALID, qv_handler_words(h), NULL, 0);
    }
    return qv_task_complete(h);
}

/* Allocates and touches as many MiB as the input says, then rests. */
static int eat(struct qv_handler *h, const struct qv_task *task) {
    size_t bytes = (size_t)number(task) << 20;
    char *memory = malloc(bytes);
    if (memory != NULL) {
        memset(memory, 1, bytes);
        rest(20000);
    }
    free(memory);
    return qv_task_complete(h);
}

static const struct function {
    const char *name;
    int (*run)(struct qv_handler *h, const struct qv_task *task);
} functions[] = {{"echo", echo},     {"describe", describe}, {"pid", pid},         {"raise", raise_error},
                 {"giveUp", give_up}, {"die", die},           {"obey", obey},       {"hang", hang},
                 {"extend", extend},  {"print", print},       {"gate", gate},      {"spoil", spoil},
                 {"replace", pid},    {"stuck", pid},         {"eat", eat},         {"half", half},
                 {"shout", shout},    {"complain", complain}, {"tell", tell}};

static int run(struct qv_handler *h, const struct qv_task *task) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].name, task->handler) == 0) {
            return functions[i].run(h, task);
        }
    }
    return qv_task_fail(h, QV_HANDLER_NOT_FOUND, task->handler, NULL, 0);
}

static void *watch(void *h) {
    while (qv_handler_event(h, NULL) != QV_TURN_STOP) {
    }
    return NULL;
}

static int release(struct qv_handler *h, const struct qv_task *task) {
    if (strcmp(task->handler, "stuck") == 0) { /* never lets go of a settled task */
        for (;;) {
            pause();
        }
    }
    if (strcmp(task->handler, "replace") == 0) {
        return qv_task_settle(h) < 0 ? -1 : qv_task_replace(h);
    }
    return qv_task_release(h);
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    char words[256], names[1024] = "";
    pthread_t thread;
    if (strcmp(mode, "dies") == 0) {
        fprintf(stderr, "ModuleNotFoundError: no module named 'tasks'\n");
        return 3;
    }
    struct qv_handler *h = qv_handler_open(words, sizeof words);
    if (h == NULL) {
        fprintf(stderr, "%s\n", words);
        return 1;
    }
    while (strcmp(mode, "mute") == 0) {
        pause();
    }
    while (strcmp(mode, "slow") == 0 && access(argv[2], F_OK) != 0) {
        rest(5);
    }
    bool talks = strcmp(mode, "talks") == 0;
    if (talks) {
        printf("loading\n");
        fflush(stdout);
        fprintf(stderr, "loading slowly\n");
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        strcat(strcat(names, i == 0 ? "" : "\n"), functions[i].name);
    }
    if (strcmp(mode, "watched") == 0 && pthread_create(&thread, NULL, watch, h) != 0) {
        return 1;
    }
    struct qv_task task = {.bytes = sizeof task};
    bool batches = strcmp(mode, "single") != 0;
    int got = batches && qv_handler_batches(h) < 0 ? -1 : qv_handler_announce(h, names);
    for (int done = 0; got == 0;) {
        got = qv_handler_take(h, &task, talks ? IDLE_MS : -1);
        if (got == QV_TAKEN) {
            got = run(h, &task) < 0 ? -1 : release(h, &task);
            done++;
        } else if (got == QV_NOTHING) {
            printf("idle after %d\n", done);
            fflush(stdout);
            got = 0;
        }
    }
    if (got != QV_STOP) {
        fprintf(stderr, "%s\n", qv_handler_words(h));
        return 1;
    }
    fprintf(stderr, "left in its own way\n");
    return 0;
}
