#define _GNU_SOURCE
#include "link.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int link_connect(struct link *link, int in_dir_fd, struct qv_error *error) {
    *link = (struct link){.fd = -1};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return qv_fail(error, "no socket: %s", strerror(errno));
    }
    /* By way of the folder's descriptor: sun_path holds 107 bytes, a folder's path may be longer. */
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/socket", in_dir_fd);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        qv_fail(error, "socket: %s", strerror(errno));
        close(fd);
        return -1;
    }
    link->fd = fd;
    return 0;
}

int link_receive(struct link *link, struct qv_error *error) {
    if (link->got == sizeof link->frame) {
        link->got = 0;
    }
    ssize_t n = recv(link->fd, (char *)&link->frame + link->got, sizeof link->frame - link->got, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return 0;
    }
    if (n <= 0) {
        return qv_fail(error, "the supervisor has gone%s%s", n < 0 ? ": " : "", n < 0 ? strerror(errno) : "");
    }
    link->got += (size_t)n;
    if (link->got < sizeof link->frame) {
        return 0;
    }
    if (link->frame.magic != QV_FRAME_MAGIC || link->frame.major != QV_MAJOR) {
        return qv_fail(error, "the supervisor speaks version %u of the slots, this agent version %d: use one release of"
                       " the worker image for both", link->frame.major, QV_MAJOR);
    }
    return 1;
}

int link_send(struct link *link, enum qv_frame_type type, const struct qv_region *region, struct qv_error *error) {
    struct qv_frame frame = {.magic = QV_FRAME_MAGIC,
                             .major = QV_MAJOR,
                             .type = (uint16_t)type,
                             .slots = region->exec->prologue.slots,
                             .epoch = region->exec->agent_epoch,
                             .pid = (uint32_t)getpid()};
    memcpy(frame.region_id, region->exec->prologue.region_id, sizeof frame.region_id);
    struct iovec part = {.iov_base = &frame, .iov_len = sizeof frame};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (type == QV_FRAME_EXEC) {
        frame.memory_bytes = region->exec_bytes;
        memset(&control, 0, sizeof control);
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(rights), &region->exec_fd, sizeof(int));
    }
    /* A few frames in a connection's life: the socket's buffer takes one whole or the supervisor is not reading. */
    if (sendmsg(link->fd, &message, MSG_NOSIGNAL) != (ssize_t)sizeof frame) {
        return qv_fail(error, "the supervisor does not take a frame: %s", strerror(errno));
    }
    return 0;
}

void link_close(struct link *link) {
    if (link->fd >= 0) {
        close(link->fd);
    }
    *link = (struct link){.fd = -1};
}
