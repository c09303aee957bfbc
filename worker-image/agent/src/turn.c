/* Messages about the turn: sent by handler and runner, and never believed by either. */
#define _GNU_SOURCE
#include "turn.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

static bool continuation(const char *at, const char *end, unsigned count) {
    for (unsigned i = 1; i <= count; i++) {
        if (at + i >= end || ((unsigned char)at[i] & 0xC0) != 0x80) {
            return false;
        }
    }
    return true;
}

/* Bytes of the character at `at`; 0 when it is none that Unicode allows in UTF-8, or a control character. */
static unsigned character(const char *at, const char *end) {
    unsigned char c = (unsigned char)at[0], next = at + 1 < end ? (unsigned char)at[1] : 0;
    if (c < 0x80) {
        return c < ' ' || c == 0x7F ? 0 : 1;
    }
    if (c >= 0xC2 && c <= 0xDF && continuation(at, end, 1)) {
        return c == 0xC2 && next < 0xA0 ? 0 : 2; /* U+0080 to U+009F: control characters */
    }
    if ((c & 0xF0) == 0xE0 && continuation(at, end, 2)) {
        return (c == 0xE0 && next < 0xA0) || (c == 0xED && next > 0x9F) ? 0 : 3;
    }
    if (c >= 0xF0 && c <= 0xF4 && continuation(at, end, 3)) {
        return (c == 0xF0 && next < 0x90) || (c == 0xF4 && next > 0x8F) ? 0 : 4;
    }
    return 0;
}

int qv_names_check(const char *names, size_t length, struct qv_error *error) {
    const char *end = names + length;
    if (length > QV_HANDLERS_BYTES) {
        return qv_fail(error, "the names of all handlers take %zu bytes, allowed are %d", length, QV_HANDLERS_BYTES);
    }
    int count = 1;
    for (const char *at = names;; count++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline == NULL ? end : newline;
        if (stop == at || stop - at > QV_NAME_BYTES || count > QV_HANDLERS) {
            return qv_fail(error, "handler name %d has %zu bytes: allowed are 1 to %d names of 1 to %d bytes", count,
                           (size_t)(stop - at), QV_HANDLERS, QV_NAME_BYTES);
        }
        for (unsigned width; at < stop; at += width) {
            width = character(at, stop);
            if (width == 0) {
                return qv_fail(error, "handler name %d is not UTF-8 or has a control character", count);
            }
        }
        if (newline == NULL) {
            return count;
        }
        at = newline + 1;
    }
}

int qv_turn_check(const void *message, size_t bytes, struct qv_error *error) {
    struct qv_turn head;
    if (bytes < sizeof head || bytes > QV_TURN_BYTES) {
        return qv_fail(error, "turn message: %zu bytes, allowed are %zu to %d", bytes, sizeof head, QV_TURN_BYTES);
    }
    memcpy(&head, message, sizeof head);
    if (head.text_length != bytes - sizeof head) {
        return qv_fail(error, "turn message: textLength is %u of %zu", head.text_length, bytes - sizeof head);
    }
    bool known = (head.type >= QV_TURN_HELLO && head.type <= QV_TURN_RELEASED)
                 || (head.type >= QV_TURN_GO && head.type <= QV_TURN_READ);
    return known ? 0 : qv_fail(error, "turn message: type %u is not known", head.type);
}

int turn_send(int fd, enum qv_turn_type type, uint64_t generation, const char *text, size_t length) {
    struct qv_turn head = {.type = type, .text_length = (uint32_t)length, .generation = generation};
    struct iovec parts[] = {{.iov_base = &head, .iov_len = sizeof head}, {.iov_base = (void *)text, .iov_len = length}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = length > 0 ? 2 : 1};
    ssize_t sent;
    do {
        sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -1 : 0;
}

int turn_receive(int fd, struct turn_message *to, bool wait, struct qv_error *error) {
    ssize_t n;
    do {
        n = recv(fd, to, sizeof *to, MSG_TRUNC | (wait ? 0 : MSG_DONTWAIT));
    } while (n < 0 && errno == EINTR);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        return 0;
    }
    if (n <= 0) {
        return qv_fail(error, "the other side has gone");
    }
    return qv_turn_check(to, (size_t)n, error) < 0 ? -1 : 1;
}
