#include "environment.h"

#include <string.h>

static bool present(const char *const *list, size_t count, const char *variable) {
    size_t name = strcspn(variable, "=");
    for (size_t i = 0; i < count; i++) {
        if (strncmp(list[i], variable, name) == 0 && list[i][name] == '=') {
            return true;
        }
    }
    return false;
}

const char *environment_build(const struct qv_command *command, const char *const *own, char *const *base,
                              const char **to) {
    size_t count = 0;
    while (own[count] != NULL) {
        to[count] = own[count];
        count++;
    }
    const char *end = command->strings;
    for (uint32_t i = 0; i < command->argc + command->envc; i++) {
        end += strlen(end) + 1;
    }
    /* Backwards, so that the last of a name is met first. */
    for (uint32_t i = 0; i < command->envc; i++) {
        const char *variable = end - 2;
        while (variable > command->strings && variable[-1] != 0) {
            variable--;
        }
        end = variable;
        if (!present(to, count, variable)) {
            to[count++] = variable;
        }
    }
    for (; *base != NULL; base++) {
        if (strchr(*base, '=') != NULL && !present(to, count, *base)) {
            to[count++] = *base;
        }
    }
    to[count] = NULL;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(to[i], "PATH=", 5) == 0) {
            return to[i] + 5;
        }
    }
    return NULL;
}
