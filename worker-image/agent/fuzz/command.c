/* The command record: what is accepted can be walked without leaving it. */
#include <stdlib.h>
#include <string.h>

#include "quiver/slots.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct qv_command command;
    struct qv_error error;
    if (qv_command_parse(data, size, &command, &error) < 0) {
        return 0;
    }
    const char *at = command.strings, *end = (const char *)data + size;
    for (uint32_t i = 0; i < command.argc + command.envc; i++) {
        const char *next = at + strlen(at) + 1;
        if (next > end || (i >= command.argc && strchr(at, '=') == NULL)) {
            abort();
        }
        at = next;
    }
    if (command.directory != NULL && (command.directory != at || at + strlen(at) + 1 > end)) {
        abort();
    }
    return 0;
}
