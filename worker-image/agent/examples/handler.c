/*
 * A whole handler in C, with one thread. `handler.command: [/app/handler]` starts one for each slot; tasks name one of
 * its functions: `handler: upper`, `handler: count`.
 *
 *     cc -Iinclude examples/handler.c src/{words,region,packet,command,batch,turn,handler,watch,task,batch_task}.c -o handler
 */
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "quiver/handler.h"

/* upper: the input in capital letters. */
static int upper(struct qv_handler *h, const struct qv_task *task) {
    char part[4096];
    for (uint64_t at = 0; at < task->input_length;) {
        uint64_t length = task->input_length - at < sizeof part ? task->input_length - at : sizeof part;
        for (uint64_t i = 0; i < length; i++) {
            part[i] = (char)toupper(task->input[at + i]);
        }
        if (qv_task_write(h, part, length) < 0) {
            bool fits = at + length <= task->output_limit; /* then the volume did not take it */
            return qv_task_fail(h, fits ? QV_OUTPUT_INVALID : QV_OUTPUT_TOO_LARGE, qv_handler_words(h), NULL, 0);
        }
        at += length;
    }
    qv_task_let_go(h);
    return qv_task_complete(h);
}

/* count: counts to the number in the input, one for each 10 ms, says how far it is and stops when it is asked to. */
static int count(struct qv_handler *h, const struct qv_task *task) {
    char text[24] = "";
    memcpy(text, task->input, task->input_length < sizeof text ? task->input_length : sizeof text - 1);
    unsigned long long most = strtoull(text, NULL, 10);
    if (most == 0) {
        return qv_task_fail(h, QV_INPUT_INVALID, "ValueError: the input is not a number above 0", NULL, 0);
    }
    for (unsigned long long i = 1; i <= most; i++) {
        uint32_t why = qv_task_cancelled(h);
        if (why != QV_REASON_NONE) {
            return qv_task_fail(h, why, "stopped as it was asked to", NULL, 0);
        }
        nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
        qv_task_progress(h, i, most);
    }
    qv_task_let_go(h);
    return qv_task_complete(h);
}

static int run(struct qv_handler *h, const struct qv_task *task) {
    if (strcmp(task->handler, "upper") == 0) {
        return upper(h, task);
    }
    if (strcmp(task->handler, "count") == 0) {
        return count(h, task);
    }
    return qv_task_fail(h, QV_HANDLER_NOT_FOUND, task->handler, NULL, 0);
}

int main(void) {
    char words[256];
    struct qv_handler *h = qv_handler_open(words, sizeof words);
    if (h == NULL || qv_handler_batches(h) < 0 || qv_handler_announce(h, "upper\ncount") < 0) {
        fprintf(stderr, "%s\n", h == NULL ? words : qv_handler_words(h));
        return 1;
    }
    struct qv_task task = {.bytes = sizeof task};
    int got;
    while ((got = qv_handler_take(h, &task, -1)) == QV_TAKEN && run(h, &task) == 0 && qv_task_release(h) == 0) {
    }
    if (got != QV_STOP) {
        fprintf(stderr, "%s\n", qv_handler_words(h));
    }
    qv_handler_close(h);
    return got == QV_STOP ? 0 : 1;
}
