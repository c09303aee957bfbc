/* Reads the command record. Only the supervisor can write it, and still nothing of it is believed. */
#include <string.h>

#include "quiver/slots.h"

int qv_command_parse(const void *record, size_t bytes, struct qv_command *command, struct qv_error *error) {
    struct qv_command_header h;
    if (bytes < sizeof h) {
        return qv_fail(error, "command record: %zu bytes left in the input, its header takes %zu", bytes, sizeof h);
    }
    memcpy(&h, record, sizeof h);
    if (h.magic != QV_COMMAND_MAGIC) {
        return qv_fail(error, "command record: does not begin with QCMD");
    }
    if (h.major != QV_MAJOR) {
        return qv_fail(error, "command record: version %u, this agent reads %d", h.major, QV_MAJOR);
    }
    if (h.record_bytes < sizeof h || h.record_bytes > bytes) {
        return qv_fail(error, "command record: recordBytes is %u of %zu", h.record_bytes, bytes);
    }
    if (h.argc < 1 || h.argc > QV_MAX_STRINGS || h.envc > QV_MAX_STRINGS || h.has_directory > 1) {
        return qv_fail(error, "command record: argc %u, envc %u, hasDirectory %u: allowed are 1 to %d, 0 to %d, 0 to 1",
                       h.argc, h.envc, h.has_directory, QV_MAX_STRINGS, QV_MAX_STRINGS);
    }
    const char *from = (const char *)record + sizeof h;
    const char *end = (const char *)record + h.record_bytes;
    *command = (struct qv_command){.argc = h.argc, .envc = h.envc, .grace_ms = h.grace_ms, .strings = from};
    command->kept_bytes = (uint64_t)h.kept_kib * 1024;
    uint32_t count = h.argc + h.envc + h.has_directory;
    for (uint32_t i = 0; i < count; i++) {
        const char *nul = memchr(from, 0, (size_t)(end - from));
        if (nul == NULL) {
            return qv_fail(error, "command record: string %u of %u does not end", i + 1, count);
        }
        if (i >= h.argc && i < h.argc + h.envc) {
            const char *equals = memchr(from, '=', (size_t)(nul - from));
            if (equals == NULL || equals == from) {
                return qv_fail(error, "command record: variable %u is not NAME=value", i - h.argc + 1);
            }
        }
        if (i == h.argc + h.envc) {
            command->directory = from;
        }
        from = nul + 1;
    }
    return from == end ? 0 : qv_fail(error, "command record: %zu bytes after its last string", (size_t)(end - from));
}
