/*
 * The other side of the `handover` bench in C: takes payloads and answers, doing nothing with them.
 *
 *   touch handler        as a handler of the slots: serves `noop`
 *   touch socket PATH    connects; for each u64 length and as many bytes, one byte back
 *   touch pipe           the same over stdin and stdout
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "quiver/handler.h"

static int serve(void) {
    char words[256];
    struct qv_handler *h = qv_handler_open(words, sizeof words);
    if (h == NULL || qv_handler_announce(h, "noop") < 0) {
        fprintf(stderr, "%s\n", h == NULL ? words : qv_handler_words(h));
        return 1;
    }
    struct qv_task task = {.bytes = sizeof task};
    while (qv_handler_take(h, &task, -1) == QV_TAKEN && qv_task_complete(h) == 0 && qv_task_release(h) == 0) {
    }
    qv_handler_close(h);
    return 0;
}

static int take(int from, void *to, uint64_t length) {
    for (uint64_t at = 0; at < length;) {
        ssize_t n = read(from, (char *)to + at, length - at);
        if (n <= 0) {
            return -1;
        }
        at += (uint64_t)n;
    }
    return 0;
}

static int answer(int from, int to) {
    uint64_t length, room = 0;
    char *payload = NULL;
    while (take(from, &length, sizeof length) == 0) {
        if (length > room) {
            free(payload);
            payload = malloc(room = length);
        }
        if (payload == NULL || take(from, payload, length) < 0 || write(to, "", 1) != 1) {
            break;
        }
    }
    free(payload);
    return 0;
}

static int dial(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        perror(path);
        return 1;
    }
    return answer(fd, fd);
}

int main(int count, char **words) {
    if (count == 2 && strcmp(words[1], "handler") == 0) {
        return serve();
    }
    if (count == 3 && strcmp(words[1], "socket") == 0) {
        return dial(words[2]);
    }
    return answer(STDIN_FILENO, STDOUT_FILENO);
}
