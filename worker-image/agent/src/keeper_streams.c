/* What a handler's process printed for a task: its end, and all of it where the task asks for that. */
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "keeper_state.h"

static struct slot_files open_files(const struct keeper *k) {
    struct slot_files files = {.dir = k->runner->out_dir_fd, .slot = k->runner->slot};
    files_open(&files);
    return files;
}

void keeper_keep_tails(struct keeper *k) {
    struct slot_files files = open_files(k);
    streams_keep(k->streams, files.fd + FILE_STDOUT, runner_exec(k->runner), k->runner->slot);
    files_close(&files);
}

void keeper_clean(struct keeper *k) {
    for (int i = 0; k != NULL && i < 2; i++) {
        whole_clear(&k->streams[i].whole);
    }
}

static void begin(struct keeper *k, uint64_t limit) {
    for (int i = 0; i < 2; i++) {
        k->streams[i].tail.total = 0;
        whole_begin(&k->streams[i].whole, limit);
    }
}

/* The handler has put its traceback where the end of stderr goes: it becomes the end of what it printed there. */
static void add_traceback(struct keeper *k) {
    static char traceback[QV_TAIL_BYTES];
    uint64_t length = runner_exec(k->runner)->stderr_bytes;
    if (length == 0 || length > sizeof traceback) {
        return;
    }
    struct slot_files files = open_files(k);
    if (pread(files.fd[FILE_STDERR], traceback, length, 0) == (ssize_t)length) {
        tail_add(&k->streams[1].tail, traceback, length);
        whole_add(&k->streams[1].whole, traceback, length);
    }
    files_close(&files);
}

static void end(struct keeper *k) {
    add_traceback(k);
    keeper_keep_tails(k);
    for (int i = 0; i < 2; i++) {
        whole_end(&k->streams[i].whole);
    }
}

/* Before it is acted upon: what the pipes hold was printed before the message was sent. */
static void read_all(struct keeper *k) {
    keeper_name_lines(k);
    for (int i = 0; i < 2; i++) {
        stream_drain(&k->streams[i]);
    }
}

bool keeper_heard_of_streams(struct keeper *k) {
    uint64_t limit = 0, u = qv_executor_word(k->runner->region, k->runner->slot);
    switch (k->message.head.type) {
    case QV_TURN_PRINTS:
        read_all(k);
        memcpy(&limit, k->message.text, k->message.head.text_length == sizeof limit ? sizeof limit : 0);
        begin(k, limit);
        break;
    case QV_TURN_PRINTED:
        read_all(k);
        if (u == qv_word(k->message.head.generation, QV_RUNNING)) {
            end(k);
        }
        break;
    case QV_TURN_RELEASED:
        keeper_clean(k);
        return true;
    default:
        return false;
    }
    turn_send(k->turn_fd, QV_TURN_READ, 0, NULL, 0); /* if it has gone meanwhile we learn that by its socket */
    return true;
}
