#define _GNU_SOURCE
#include "forward.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void forward_open(struct forward *f, int fd, uint64_t now) {
    *f = (struct forward){.fd = fd, .credit = FORWARD_BURST, .credited = now};
}

void forward_begin(struct forward *f, const char *name, size_t length) {
    if (length > QV_NAME_BYTES) {
        length = QV_NAME_BYTES;
    }
    f->prefix[0] = '[';
    for (size_t i = 0; i < length; i++) {
        f->prefix[1 + i] = (unsigned char)name[i] < ' ' || name[i] == 0x7F ? '?' : name[i];
    }
    f->prefix[1 + length] = ']';
    f->prefix[2 + length] = ' ';
    f->prefix_length = length + 3;
    f->fill = 0;
    f->in_line = false;
}

void forward_log(struct forward *f, struct slot_log *log, const char *word) {
    f->log = log;
    f->word = word;
}

static void refill(struct forward *f, uint64_t now) {
    uint64_t earned = (now - f->credited) / 1000 * FORWARD_RATE / 1000000;
    if (earned > 0) {
        f->credit = f->credit + (int64_t)earned > FORWARD_BURST ? FORWARD_BURST : f->credit + (int64_t)earned;
        f->credited = now;
    }
    f->silenced &= f->credit < FORWARD_RESUME;
}

/* Hands the gathered lines to the log in one write, or gives them up: the log may be full or gone. */
static void flush(struct forward *f) {
    if (f->pending > 0 && write(f->fd, f->batch, f->pending) < 0) {
        f->dropped += f->pending_payload;
    }
    f->pending = f->pending_payload = 0;
    if (f->log != NULL) {
        slot_log_write(f->log);
    }
}

static void put(struct forward *f, const char *text, size_t length, uint64_t payload) {
    size_t whole = f->prefix_length + length + 1;
    if (f->log != NULL) {
        slot_log_add(f->log, f->word, text, length);
    }
    if (f->pending + whole > sizeof f->batch) {
        flush(f);
    }
    char *to = f->batch + f->pending;
    memcpy(to, f->prefix, f->prefix_length);
    memcpy(to + f->prefix_length, text, length);
    to[whole - 1] = '\n';
    f->pending += whole;
    f->pending_payload += payload;
    f->credit -= (int64_t)whole;
}

static void say_dropped(struct forward *f) {
    char words[128];
    int n = snprintf(words, sizeof words, "... quiver: %llu bytes of output are not shown here (limit or full log)",
                     (unsigned long long)f->dropped);
    uint64_t said = f->dropped;
    f->dropped = 0;
    put(f, words, (size_t)n, said); /* not taken either: then it is still to be said */
}

static void put_line(struct forward *f) {
    if (f->dropped > 0) {
        say_dropped(f);
    }
    put(f, f->line, f->fill, f->fill + 1);
    f->fill = 0;
}

/* Everything up to the end of the chunk is dropped; remembers whether a line is left in the middle. */
static void drop(struct forward *f, const char *bytes, size_t length) {
    f->dropped += f->fill + length;
    f->fill = 0;
    f->in_line = bytes[length - 1] != '\n';
}

void forward_bytes(struct forward *f, const char *bytes, size_t length, uint64_t now) {
    refill(f, now);
    while (length > 0) {
        f->silenced |= f->credit <= 0;
        if (f->silenced) {
            drop(f, bytes, length);
            break;
        }
        const char *newline = memchr(bytes, '\n', length);
        size_t part = newline == NULL ? length : (size_t)(newline - bytes);
        size_t room = f->in_line ? 0 : sizeof f->line - f->fill;
        size_t taken = part < room ? part : room;
        memcpy(f->line + f->fill, bytes, taken);
        f->fill += taken;
        if (taken < part && !f->in_line) { /* the line is too long: show what there is, drop its rest */
            put_line(f);
            f->in_line = true;
        }
        f->dropped += part - taken;
        if (newline == NULL) {
            break;
        }
        if (f->in_line) {
            f->in_line = false;
        } else {
            put_line(f);
        }
        bytes += part + 1;
        length -= part + 1;
    }
    flush(f);
}

void forward_end(struct forward *f, uint64_t now) {
    refill(f, now);
    if (f->fill > 0 && !f->silenced) {
        put_line(f);
    }
    f->dropped += f->fill;
    f->fill = 0;
    if (f->dropped > 0 && f->credit > -FORWARD_DEBT) {
        say_dropped(f);
    }
    flush(f);
}
