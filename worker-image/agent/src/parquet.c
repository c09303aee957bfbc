#include "parquet.h"

#include <stdbool.h>

/* Types of Thrift's compact protocol. */
enum { STOP = 0, YES = 1, NO = 2, BYTE = 3, I16 = 4, I32 = 5, I64 = 6, DOUBLE = 7, BINARY = 8, LIST = 9, SET = 10, MAP = 11,
       STRUCT = 12 };

enum { ROW_GROUPS = 4, DEPTH = 32 }; /* the field of FileMetaData; structures within structures at most */

struct reader {
    const uint8_t *at, *end;
    bool bad; /* then it stands at its end, and everything it gives is 0 */
};

static uint64_t refuse(struct reader *from) {
    from->bad = true;
    from->at = from->end;
    return 0;
}

static uint8_t byte(struct reader *from) { return from->at == from->end ? (uint8_t)refuse(from) : *from->at++; }

static uint64_t number(struct reader *from) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t next = byte(from);
        value |= (uint64_t)(next & 0x7f) << shift;
        if (next < 0x80) {
            return value;
        }
    }
    return refuse(from);
}

static void pass(struct reader *from, uint64_t bytes) {
    if (bytes > (uint64_t)(from->end - from->at)) {
        refuse(from);
    } else {
        from->at += bytes;
    }
}

/* The length of a list, whose elements have this type. */
static uint64_t list(struct reader *from, uint8_t *type) {
    uint8_t head = byte(from);
    *type = head & 0x0f;
    return head >> 4 == 15 ? number(from) : head >> 4;
}

/* The type of the next field of a structure, STOP at its end; `id` is that of the field before. An id has 16 bits. */
static uint8_t field(struct reader *from, int64_t *id) {
    uint8_t head = byte(from);
    int64_t next = *id + (head >> 4);
    if (head == STOP) {
        return STOP;
    }
    if (head >> 4 == 0) {
        uint64_t zigzag = number(from);
        next = (int64_t)(zigzag >> 1) ^ -(int64_t)(zigzag & 1);
    }
    if (next < INT16_MIN || next > INT16_MAX) {
        refuse(from);
        return STOP;
    }
    *id = next;
    return head & 0x0f;
}

static void skip(struct reader *from, uint8_t type, unsigned depth);

/* Each element takes a byte at least, so this ends with the bytes. */
static void skip_elements(struct reader *from, uint64_t count, uint8_t type, uint8_t second, unsigned depth) {
    for (; count > 0 && !from->bad; count--) {
        skip(from, type == YES || type == NO ? BYTE : type, depth);
        if (second != STOP) {
            skip(from, second == YES || second == NO ? BYTE : second, depth);
        }
    }
}

static void skip(struct reader *from, uint8_t type, unsigned depth) {
    uint8_t of;
    uint64_t count;
    int64_t id = 0;
    if (depth == 0) {
        refuse(from);
        return;
    }
    switch (type) {
    case YES:
    case NO:
        return;
    case BYTE:
        pass(from, 1);
        return;
    case I16:
    case I32:
    case I64:
        number(from);
        return;
    case DOUBLE:
        pass(from, 8);
        return;
    case BINARY:
        pass(from, number(from));
        return;
    case LIST:
    case SET:
        count = list(from, &of);
        skip_elements(from, count, of, STOP, depth - 1);
        return;
    case MAP:
        count = number(from);
        of = count == 0 ? (uint8_t)(BYTE << 4 | BYTE) : byte(from);
        skip_elements(from, count, of >> 4, of & 0x0f, depth - 1);
        return;
    case STRUCT:
        while ((of = field(from, &id)) != STOP) {
            skip(from, of, depth - 1);
        }
        return;
    default:
        refuse(from);
    }
}

int64_t parquet_row_groups(const uint8_t *footer, size_t bytes) {
    struct reader from = {footer, footer + bytes, false};
    int64_t id = 0;
    uint8_t type;
    while ((type = field(&from, &id)) != STOP && !from.bad) {
        if (id == ROW_GROUPS) {
            uint64_t count = type == LIST ? list(&from, &type) : refuse(&from);
            return from.bad || type != STRUCT || count > (uint64_t)(from.end - from.at) ? -1 : (int64_t)count;
        }
        skip(&from, type, DEPTH);
    }
    return -1;
}
