/* A turn message, and the names in a hello: what is accepted is whole and within its bounds. */
#include <stdlib.h>
#include <string.h>

#include "quiver/slots.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct qv_turn head;
    struct qv_error error;
    if (qv_turn_check(data, size, &error) < 0) {
        return 0;
    }
    memcpy(&head, data, sizeof head);
    const char *names = (const char *)data + sizeof head;
    if (head.text_length + sizeof head != size) {
        abort();
    }
    int count = qv_names_check(names, head.text_length, &error);
    int newlines = 0;
    for (uint32_t i = 0; i < head.text_length; i++) {
        newlines += names[i] == '\n';
        if (count > 0 && names[i] != '\n' && (uint8_t)names[i] < ' ') {
            abort();
        }
    }
    if (count > 0 && (count != newlines + 1 || count > QV_HANDLERS || head.text_length > QV_HANDLERS_BYTES)) {
        abort();
    }
    return 0;
}
