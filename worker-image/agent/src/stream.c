#define _GNU_SOURCE
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "say.h"

enum { CHUNK = 64 * 1024, PIPE_MOST = 1024 * 1024 };

void streams_init(struct stream streams[2], const int log_fd[2], int whole_dir, unsigned slot) {
    static const char *const endings[] = {"stdout", "stderr"};
    for (int i = 0; i < 2; i++) {
        streams[i].from = -1;
        forward_open(&streams[i].forward, log_fd[i], qv_now());
        whole_open(&streams[i].whole, whole_dir, slot, endings[i]);
    }
}

int streams_open(struct stream streams[2], int ends[2], struct qv_error *error) {
    for (int i = 0; i < 2; i++) {
        int both[2];
        if (pipe2(both, O_CLOEXEC) < 0) {
            qv_fail(error, "no pipe for its output: %s", strerror(errno));
            if (i == 1) {
                close(streams[0].from);
                close(ends[0]);
                streams[0].from = -1;
            }
            return -1;
        }
        fcntl(both[0], F_SETFL, O_NONBLOCK);
        streams[i].from = both[0];
        ends[i] = both[1];
        streams[i].tail.total = 0;
    }
    return 0;
}

size_t stream_read(struct stream *stream) {
    static char chunk[CHUNK];
    ssize_t n = read(stream->from, chunk, sizeof chunk);
    if (n > 0) {
        tail_add(&stream->tail, chunk, (size_t)n);
        forward_bytes(&stream->forward, chunk, (size_t)n, qv_now());
        whole_add(&stream->whole, chunk, (size_t)n);
        return (size_t)n;
    }
    if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        close(stream->from);
        stream->from = -1;
    }
    return 0;
}

void stream_drain(struct stream *stream) {
    for (size_t sum = 0, n = 1; stream->from >= 0 && n > 0 && sum < PIPE_MOST; sum += n) {
        n = stream_read(stream);
    }
}

void streams_finish(struct stream streams[2]) {
    for (int i = 0; i < 2; i++) {
        struct stream *stream = &streams[i];
        stream_drain(stream);
        if (stream->from >= 0) {
            close(stream->from);
            stream->from = -1;
        }
        forward_end(&stream->forward, qv_now());
        whole_end(&stream->whole);
    }
}

void streams_keep(const struct stream streams[2], const int files[2], struct qv_exec_slot *exec, unsigned slot) {
    for (int i = 0; i < 2; i++) {
        if (streams[i].tail.total > 0 && tail_write(&streams[i].tail, files[i]) < 0) {
            say("slot %u: the tail of its output could not be kept: %s", slot, strerror(errno));
        }
    }
    exec->stdout_bytes = streams[0].tail.total;
    exec->stderr_bytes = streams[1].tail.total;
}
