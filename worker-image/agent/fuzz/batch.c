/* The table of a batch: what is accepted has every payload inside the input and a record that can be looked for there. */
#include <stdlib.h>
#include <string.h>

#include "quiver/slots.h"

static volatile uint8_t seen; /* so that the reads are made */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct qv_control_slot control = {.flags = QV_BATCH, .in_length = size, .word = qv_word(1, QV_OP_RUN)};
    struct qv_exec_slot exec = {.word = qv_word(1, QV_RUNNING)};
    struct qv_batch_entry entry;
    struct qv_command command;
    struct qv_error error;
    uint32_t counted = 0;
    uint8_t *input = malloc(size == 0 ? 1 : size); /* exact: the sanitizer sees a byte too many */
    memcpy(input, data, size);
    int count = qv_batch_check(input, size, &error);
    for (int i = 0; i < count; i++) {
        const struct qv_batch_entry *checked = &((const struct qv_batch *)input)->entry[i];
        if (checked->in_length > 0) {
            seen = input[checked->in_offset] ^ input[checked->in_offset + checked->in_length - 1];
        }
        qv_command_parse(input + checked->record_offset, size - checked->record_offset, &command, &error);
        atomic_store(&exec.done, (uint32_t)i);
        if (qv_batch_at(&control, &exec, input, size, &entry, &counted) != (uint32_t)i + 1 || counted != (uint32_t)count
            || memcmp(&entry, checked, sizeof entry) != 0 || entry.name_length > QV_NAME_BYTES) {
            abort();
        }
    }
    free(input);
    if (count == 0 || count > QV_MAX_BATCH) {
        abort();
    }
    return 0;
}
