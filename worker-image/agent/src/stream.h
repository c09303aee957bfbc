/* One of a process's two output streams: its pipe, the tail that is kept, the lines that are shown, all of it on disk. */
#ifndef QUIVER_STREAM_H
#define QUIVER_STREAM_H

#include "forward.h"
#include "quiver/slots.h"
#include "tail.h"
#include "whole.h"

struct stream {
    int from; /* -1: closed */
    struct tail tail;
    struct forward forward;
    struct whole whole;
};

/* Once for each pair: where its lines go, and the volume for all of it, -1 for none. */
void streams_init(struct stream streams[2], const int log_fd[2], int whole_dir, unsigned slot);

/* Makes the pipes for a new process; `ends` are for it and to be closed here after it was started. */
int streams_open(struct stream streams[2], int ends[2], struct qv_error *error);

/* Reads once, without waiting; closes at the end of the stream. Returns the number of bytes. */
size_t stream_read(struct stream *stream);

/* Reads what the pipe holds now. What goes on to come is left. */
void stream_drain(struct stream *stream);

/* The process and all of its own are gone. What its pipes still hold is read; their end is not waited for. */
void streams_finish(struct stream streams[2]);

/* Writes the tails to their files and their sizes into the record. Words when that was not possible. */
void streams_keep(const struct stream streams[2], const int files[2], struct qv_exec_slot *exec, unsigned slot);

#endif
