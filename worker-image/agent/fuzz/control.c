/* The header of control: what is accepted has all of its slots inside the file. */
#include <stdlib.h>
#include <string.h>

#include "quiver/slots.h"

static volatile uint64_t seen; /* so that the reads are made */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct qv_error error;
    void *control = malloc(size == 0 ? 1 : size); /* exact: the sanitizer sees a byte too many */
    memcpy(control, data, size);
    if (qv_control_check(control, size, &error) == 0) {
        const struct qv_control *checked = control;
        for (unsigned slot = 0; slot < checked->prologue.slots; slot++) {
            seen = atomic_load(&checked->slot[slot].word) + (uint8_t)checked->slot[slot].name[QV_NAME_BYTES - 1];
        }
        if (checked->prologue.slots > QV_MAX_SLOTS) {
            abort();
        }
    }
    free(control);
    return 0;
}
