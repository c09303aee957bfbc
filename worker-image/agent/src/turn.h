/* The messages that handler and runner exchange about whose turn it is: one SOCK_SEQPACKET pair for each handler. */
#ifndef QUIVER_TURN_H
#define QUIVER_TURN_H

#include "quiver/slots.h"

struct turn_message {
    struct qv_turn head;
    char text[QV_TURN_BYTES - sizeof(struct qv_turn)];
};

/* Sends one message. Returns 0, or -1 with errno: the other side has gone, or the socket does not block and is full. */
int turn_send(int fd, enum qv_turn_type type, uint64_t generation, const char *text, size_t length);

/* Takes one message. 1: taken and checked; 0: none there and not waited for; -1: the pair is over, or a bad message. */
int turn_receive(int fd, struct turn_message *to, bool wait, struct qv_error *error);

#endif
