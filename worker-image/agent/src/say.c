#include "say.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void say(const char *format, ...) {
    char line[512] = "quiver-agent: ";
    size_t prefix = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(line + prefix, sizeof line - prefix - 1, format, arguments);
    va_end(arguments);
    size_t length = prefix + (n < 0 ? 0 : (size_t)n);
    if (length > sizeof line - 2) {
        length = sizeof line - 2;
    }
    line[length++] = '\n';
    ssize_t ignored = write(STDERR_FILENO, line, length);
    (void)ignored;
}
