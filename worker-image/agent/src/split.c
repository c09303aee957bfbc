#define _GNU_SOURCE
#include "split.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parquet.h"
#include "runner.h"
#include "say.h"

enum { MOST_CHUNKS = 100000, MOST_FOOTER = 64 << 20, DEPTH = 64, PIECE = 1 << 18 };

struct splitting {
    uint64_t size;
    FILE *to;
    unsigned chunks;
    uint64_t in_group; /* files of a chunk that is open */
};

static bool complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

static bool complain(const char *format, ...) {
    char words[PATH_MAX + 256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    say("split: %s", words);
    return false;
}

/* The length of the UTF-8 character at the text; 0 where there is none. */
static unsigned character(const unsigned char *text) {
    unsigned more = text[0] < 0x80 ? 0 : text[0] >= 0xc2 && text[0] < 0xe0 ? 1 : (text[0] & 0xf0) == 0xe0 ? 2
                  : text[0] >= 0xf0 && text[0] < 0xf5 ? 3 : 4;
    bool odd = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f)
               || (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f);
    for (unsigned i = 1; i <= more; i++) {
        if (more == 4 || odd || (text[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return more + 1;
}

static bool write_path(FILE *to, const char *path) {
    fputc('"', to);
    for (const unsigned char *at = (const unsigned char *)path; *at != 0;) {
        unsigned length = character(at);
        if (length == 0) {
            return complain("%s: its name is not UTF-8", path);
        }
        if (*at < 0x20) {
            fprintf(to, "\\u%04x", *at);
        } else {
            if (*at == '"' || *at == '\\') {
                fputc('\\', to);
            }
            fwrite(at, 1, length, to);
        }
        at += length;
    }
    fputc('"', to);
    return true;
}

static bool begin_chunk(struct splitting *s) {
    return ++s->chunks <= MOST_CHUNKS || complain("more than %d chunks: raise split.size", MOST_CHUNKS);
}

static bool part(struct splitting *s, const char *path, uint64_t offset, uint64_t length) {
    if (length == 0) {
        return true;
    }
    if (!begin_chunk(s) || fputs("{\"path\":", s->to) < 0 || !write_path(s->to, path)) {
        return false;
    }
    fprintf(s->to, ",\"offset\":%" PRIu64 ",\"length\":%" PRIu64 "}\n", offset, length);
    return true;
}

static bool by_bytes(struct splitting *s, const char *path, int fd, uint64_t bytes) {
    (void)fd;
    for (uint64_t at = 0; at < bytes; at += s->size) {
        if (!part(s, path, at, bytes - at < s->size ? bytes - at : s->size)) {
            return false;
        }
    }
    return true;
}

static bool by_lines(struct splitting *s, const char *path, int fd, uint64_t bytes) {
    static char piece[PIECE];
    uint64_t at = 0, begin = 0, lines = 0;
    while (at < bytes) {
        ssize_t n = pread(fd, piece, sizeof piece, (off_t)at);
        if (n <= 0) {
            return complain("%s: %s", path, n < 0 ? strerror(errno) : "is shorter than it was");
        }
        for (char *from = piece, *end = piece + n; (from = memchr(from, '\n', (size_t)(end - from))) != NULL;) {
            from++;
            if (++lines == s->size) {
                uint64_t next = at + (uint64_t)(from - piece);
                if (!part(s, path, begin, next - begin)) {
                    return false;
                }
                begin = next;
                lines = 0;
            }
        }
        at += (uint64_t)n;
    }
    return part(s, path, begin, at - begin);
}

static bool by_files(struct splitting *s, const char *path, int fd, uint64_t bytes) {
    (void)fd, (void)bytes;
    bool first = s->in_group == 0;
    if (first && !begin_chunk(s)) {
        return false;
    }
    fputs(first ? "{\"paths\":[" : ",", s->to);
    if (!write_path(s->to, path)) {
        return false;
    }
    if (++s->in_group == s->size) {
        fputs("]}\n", s->to);
        s->in_group = 0;
    }
    return true;
}

/* How many row groups a Parquet file has: its last bytes are the footer, the footer's length, and PAR1. */
static int64_t row_groups(int fd, uint64_t bytes) {
    uint8_t tail[8];
    if (bytes < 12 || pread(fd, tail, 8, (off_t)(bytes - 8)) != 8 || memcmp(tail + 4, "PAR1", 4) != 0) {
        return -1;
    }
    uint32_t length = (uint32_t)tail[0] | (uint32_t)tail[1] << 8 | (uint32_t)tail[2] << 16 | (uint32_t)tail[3] << 24;
    if (length > MOST_FOOTER || length > bytes - 12) {
        return -1;
    }
    uint8_t *footer = malloc(length == 0 ? 1 : length);
    int64_t count = -1;
    if (footer != NULL && pread(fd, footer, length, (off_t)(bytes - 8 - length)) == (ssize_t)length) {
        count = parquet_row_groups(footer, length);
    }
    free(footer);
    return count;
}

static bool by_row_groups(struct splitting *s, const char *path, int fd, uint64_t bytes) {
    int64_t count = row_groups(fd, bytes);
    if (count < 0) {
        return complain("%s: is no Parquet file, or its footer is encrypted or broken", path);
    }
    for (uint64_t at = 0; at < (uint64_t)count; at += s->size) {
        if (!begin_chunk(s) || fputs("{\"path\":", s->to) < 0 || !write_path(s->to, path)) {
            return false;
        }
        fputs(",\"rowGroups\":[", s->to);
        for (uint64_t i = at; i < (uint64_t)count && i - at < s->size; i++) {
            fprintf(s->to, i == at ? "%" PRIu64 : ",%" PRIu64, i);
        }
        fputs("]}\n", s->to);
    }
    return true;
}

typedef bool splitter(struct splitting *s, const char *path, int fd, uint64_t bytes);

static bool file(struct splitting *s, splitter *split, const char *path, unsigned depth);

static bool folder(struct splitting *s, splitter *split, const char *path, unsigned depth) {
    struct dirent **entries;
    int count = depth == 0 ? -1 : scandir(path, &entries, NULL, alphasort);
    if (count < 0) {
        return complain("%s: %s", path, depth == 0 ? "lies too deep" : strerror(errno));
    }
    bool good = true;
    char below[PATH_MAX];
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (good && name[0] != '.') {
            bool fits = (size_t)snprintf(below, sizeof below, "%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/", name)
                        < sizeof below;
            struct stat status;
            bool link = fits && lstat(below, &status) == 0 && S_ISLNK(status.st_mode);
            if (!fits) {
                good = complain("%s/%s: the path is too long", path, name);
            } else if (!link || (stat(below, &status) == 0 && S_ISREG(status.st_mode))) { /* no folder twice */
                good = file(s, split, below, depth - 1);
            }
        }
        free(entries[i]);
    }
    free(entries);
    return good;
}

static bool file(struct splitting *s, splitter *split, const char *path, unsigned depth) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe is no file and does not hold it up */
    struct stat status;
    if (fd < 0 || fstat(fd, &status) < 0) {
        int why = errno;
        if (fd >= 0) {
            close(fd);
        }
        return complain("%s: %s", path, strerror(why));
    }
    bool good = true;
    if (S_ISREG(status.st_mode)) {
        good = split(s, path, fd, (uint64_t)status.st_size);
    }
    close(fd);
    return good && S_ISDIR(status.st_mode) ? folder(s, split, path, depth) : good;
}

static splitter *splitter_of(const char *unit) {
    return strcmp(unit, "lines") == 0     ? by_lines
         : strcmp(unit, "bytes") == 0     ? by_bytes
         : strcmp(unit, "files") == 0     ? by_files
         : strcmp(unit, "rowGroups") == 0 ? by_row_groups
                                          : NULL;
}

int split_files(const char *unit, const char *size, const char *path, const char *output) {
    char *end;
    errno = 0;
    struct splitting s = {.size = strtoull(size, &end, 10)};
    splitter *split = splitter_of(unit);
    if (split == NULL || errno != 0 || *end != 0 || size[0] == '-' || s.size == 0 || path[0] != '/' || output == NULL) {
        say("split: lines, bytes, files or rowGroups, a number and an absolute path are needed, and $QUIVER_OUTPUT");
        return EXIT_USAGE;
    }
    glob_t found;
    int result = glob(path, 0, NULL, &found);
    if (result != 0) {
        complain("%s: %s", path, result == GLOB_NOMATCH ? "there is no such file" : "cannot be looked through");
        return EXIT_WORDS;
    }
    s.to = fopen(output, "w");
    bool good = s.to != NULL || complain("%s: %s", output, strerror(errno));
    for (size_t i = 0; good && i < found.gl_pathc; i++) {
        good = file(&s, split, found.gl_pathv[i], DEPTH);
    }
    if (good && s.in_group > 0) {
        fputs("]}\n", s.to);
    }
    if (good && s.chunks == 0) {
        fputc('\n', s.to); /* an empty file would be that of a program that printed its chunks */
    }
    if (s.to != NULL && fclose(s.to) != 0 && good) {
        good = complain("%s: %s", output, strerror(errno));
    }
    globfree(&found);
    return good ? 0 : EXIT_WORDS;
}
