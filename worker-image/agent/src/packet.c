/* The eight states as a view of the two words, and the snapshot of a slot as a packet of 256 bytes. */
#include <string.h>

#include "quiver/handler.h"
#include "quiver/slots.h"

unsigned qv_state_of(uint64_t s, uint64_t u) {
    unsigned op = qv_code(s), stage = qv_code(u);
    if (op > QV_OP_ACKNOWLEDGE || stage < QV_READY || stage > QV_CLEANING) {
        return 0;
    }
    if (qv_generation(s) == qv_generation(u) + 1) {
        /* Over an ended trial: what lies between in the diagram, cleaning and waiting, passes without a word. */
        if (stage != QV_READY && stage != QV_RETRY && stage != QV_COMPLETE) {
            return 0;
        }
        return op == QV_OP_RUN ? QV_STATE_PENDING : op == QV_OP_CANCEL ? QV_STATE_CANCELLED : 0;
    }
    if (qv_generation(s) != qv_generation(u)) {
        return 0;
    }
    if (stage == QV_READY) {
        return QV_STATE_WAITING;
    }
    switch (op) {
    case QV_OP_RUN:
        return stage == QV_RUNNING    ? QV_STATE_RUNNING
               : stage == QV_COMPLETE ? QV_STATE_COMPLETE
               : stage == QV_RETRY    ? QV_STATE_RETRY
                                      : 0;
    case QV_OP_CANCEL:
        return stage == QV_CLEANING ? QV_STATE_CLEANING : QV_STATE_CANCELLED;
    case QV_OP_FAIL:
        return stage == QV_RETRY ? QV_STATE_FAILED : 0;
    case QV_OP_ACKNOWLEDGE:
        return stage == QV_RUNNING ? 0 : QV_STATE_CLEANING;
    default:
        return 0;
    }
}

int qv_packet_of(const struct qv_control_slot *control, const struct qv_exec_slot *exec, uint64_t now,
                 struct qv_packet *packet) {
    uint64_t s = atomic_load(&control->word), u = atomic_load(&exec->word);
    unsigned state = qv_state_of(s, u);
    if (state == 0) {
        return -1;
    }
    *packet = (struct qv_packet){.state = (uint8_t)state, .generation = (uint32_t)qv_generation(s)};
    memcpy(packet->worker, control->worker, sizeof packet->worker);
    memcpy(packet->task, control->task, sizeof packet->task);
    packet->trial = control->trial;
    packet->allowed = control->allowed;
    packet->kind = control->kind;
    packet->format = control->format;
    packet->length = control->in_length;
    packet->name_length = control->name_length <= QV_NAME_BYTES ? control->name_length : QV_NAME_BYTES;
    memcpy(packet->name, control->name, packet->name_length);
    if (qv_generation(u) == qv_generation(s)) { /* else the executor's record is about an earlier task */
        bool ended = qv_code(u) != QV_RUNNING;
        uint64_t until = ended ? exec->ended : now;
        packet->started = exec->started;
        packet->elapsed_ns = exec->started != 0 && until > exec->started ? until - exec->started : 0;
        if (ended) {
            packet->reason = exec->reason;
            packet->exit = exec->exit;
            packet->signal = exec->signal;
        }
    }
    return 0;
}

void qv_packet_task(struct qv_packet *packet, const struct qv_batch_entry *entry) {
    memcpy(packet->task, entry->task, sizeof packet->task);
    packet->trial = entry->trial;
    packet->allowed = entry->allowed;
    packet->format = entry->format;
    packet->length = entry->in_length;
    packet->name_length = entry->name_length <= QV_NAME_BYTES ? entry->name_length : QV_NAME_BYTES;
    memset(packet->name, 0, sizeof packet->name);
    memcpy(packet->name, entry->name, packet->name_length);
}

void qv_packet_encode(const struct qv_packet *packet, uint8_t *to) { memcpy(to, packet, sizeof *packet); }

int qv_packet_decode(const uint8_t *bytes, uint64_t length, struct qv_packet *packet) {
    struct qv_packet read;
    if (length != sizeof read) {
        return -1;
    }
    memcpy(&read, bytes, sizeof read);
    if (read.state < QV_STATE_WAITING || read.state > QV_STATE_CLEANING || read.reason > QV_BLOCKED
        || read.name_length > QV_NAME_BYTES) {
        return -1;
    }
    *packet = read;
    return 0;
}

size_t qv_utf8_cut(const char *text, size_t length, size_t max) {
    if (length <= max) {
        return length;
    }
    while (max > 0 && ((unsigned char)text[max] & 0xC0) == 0x80) {
        max--;
    }
    return max;
}
