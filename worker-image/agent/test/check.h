/* What the unit tests share. */
#ifndef QUIVER_CHECK_H
#define QUIVER_CHECK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

extern unsigned failures, checks;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        checks++;                                                                                                      \
        if (!(condition)) {                                                                                            \
            failures++;                                                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
        }                                                                                                              \
    } while (0)

/* Reads a golden file of hexadecimal digits; blanks between them do not matter. Returns the number of bytes. */
size_t golden(const char *name, uint8_t *to, size_t room);

void test_handlers(void);
void test_batches(void);
void test_memory(void);
void test_split(void);

#endif
