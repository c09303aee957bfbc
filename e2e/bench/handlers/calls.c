/* The handler of the `calls` bench in C: the sum of the two numbers of its input; one in twenty has no sum. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quiver/handler.h"

/* The number behind "name":" in a JSON object of digits in quotes. */
static long member(const char *json, const char *name) {
    const char *at = strstr(json, name);
    return at == NULL ? 0 : strtol(at + strlen(name), NULL, 10);
}

static int sum(struct qv_handler *h, const struct qv_task *task) {
    char json[64] = "", text[24];
    memcpy(json, task->input, task->input_length < sizeof json ? task->input_length : sizeof json - 1);
    long a = member(json, "\"a\":\""), b = member(json, "\"b\":\"");
    if (b % 20 == 7) {
        return qv_task_fail(h, QV_DO_NOT_RETRY, "ValueError: no sum", NULL, 0);
    }
    int length = snprintf(text, sizeof text, "%ld", a + b);
    if (qv_task_write(h, text, (uint64_t)length) < 0) {
        return -1;
    }
    qv_task_format(h, QV_JSON, 0);
    qv_task_let_go(h);
    return qv_task_complete(h);
}

int main(void) {
    char words[256];
    struct qv_handler *h = qv_handler_open(words, sizeof words);
    if (h == NULL || qv_handler_batches(h) < 0 || qv_handler_announce(h, "sum") < 0) {
        fprintf(stderr, "%s\n", h == NULL ? words : qv_handler_words(h));
        return 1;
    }
    struct qv_task task = {.bytes = sizeof task};
    while (qv_handler_take(h, &task, -1) == QV_TAKEN && sum(h, &task) == 0 && qv_task_release(h) == 0) {
    }
    qv_handler_close(h);
    return 0;
}
