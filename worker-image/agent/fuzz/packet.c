/* Packets from bytes, and from two records that nobody vouches for. */
#include <stdlib.h>
#include <string.h>

#include "quiver/handler.h"
#include "quiver/slots.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct qv_packet packet;
    uint8_t again[sizeof packet];
    if (qv_packet_decode(data, size, &packet) == 0) {
        qv_packet_encode(&packet, again);
        if (memcmp(again, data, sizeof again) != 0) {
            abort();
        }
    }
    if (size >= 2 * QV_STRIDE) {
        struct qv_control_slot control;
        struct qv_exec_slot exec;
        memcpy(&control, data, sizeof control);
        memcpy(&exec, data + QV_STRIDE, sizeof exec);
        if (qv_packet_of(&control, &exec, 0, &packet) == 0
            && (packet.name_length > QV_NAME_BYTES || packet.state < QV_STATE_WAITING
                || packet.state > QV_STATE_CLEANING || packet.elapsed_ns > exec.ended)) { /* `now` is 0 here */
            abort();
        }
    }
    return 0;
}
