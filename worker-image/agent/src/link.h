/* The agent's end of the socket: connects, greets, sends the descriptor of `exec`. Frames of 64 bytes. */
#ifndef QUIVER_LINK_H
#define QUIVER_LINK_H

#include "quiver/slots.h"

struct link {
    int fd;                 /* -1: not connected */
    size_t got;             /* bytes of the frame that is coming in */
    struct qv_frame frame;
};

/* Connects to `socket` in the folder. Returns 0 or -1 with words. */
int link_connect(struct link *link, int in_dir_fd, struct qv_error *error);

/* Takes what has come. 1: link->frame is whole; 0: nothing yet; -1: the connection is over, with words. */
int link_receive(struct link *link, struct qv_error *error);

/* Sends a frame of this type for the region, for EXEC with its descriptor. Returns 0 or -1 with words. */
int link_send(struct link *link, enum qv_frame_type type, const struct qv_region *region, struct qv_error *error);

void link_close(struct link *link);

#endif
