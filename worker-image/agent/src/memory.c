#define _GNU_SOURCE
#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool slurp(const char *path, char *to, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    ssize_t n = read(fd, to, size - 1);
    close(fd);
    to[n < 0 ? 0 : n] = 0;
    return n > 0;
}

/* Our group's folder, from /proc/self/cgroup: "4:memory:/path" (v1) or "0::/path" (v2). */
static bool group(const char *marker, char *path, size_t size) {
    char all[4096];
    if (!slurp("/proc/self/cgroup", all, sizeof all)) {
        return false;
    }
    for (char *line = strtok(all, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        char *at = strstr(line, marker);
        if (at != NULL) {
            snprintf(path, size, "%s", at + strlen(marker));
            return true;
        }
    }
    return false;
}

/* Reads a file of the group; in a container with its own cgroup namespace or mount, the group is the root. */
static bool read_group(const char *root, const char *marker, const char *file, char *to, size_t size) {
    char path[1024], own[512];
    if (group(marker, own, sizeof own)) {
        snprintf(path, sizeof path, "%s%s/%s", root, own, file);
        if (slurp(path, to, size)) {
            return true;
        }
    }
    snprintf(path, sizeof path, "%s/%s", root, file);
    return slurp(path, to, size);
}

static bool v1(const char *file, char *to, size_t size) {
    return read_group("/sys/fs/cgroup/memory", ":memory:", file, to, size);
}

static bool v2(const char *file, char *to, size_t size) { return read_group("/sys/fs/cgroup", "0::", file, to, size); }

static bool number_after(const char *text, const char *key, uint64_t *value) {
    size_t length = strlen(key);
    for (const char *at = text; at != NULL; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, key, length) == 0 && at[length] == ' ') {
            *value = strtoull(at + length + 1, NULL, 10);
            return true;
        }
    }
    return false;
}

/* A file of a v2 group's folder as a number; "max" is UINT64_MAX. */
static bool number_in(const char *folder, const char *file, uint64_t *value) {
    char path[1024], text[64];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    if (!slurp(path, text, sizeof text)) {
        return false;
    }
    *value = strncmp(text, "max", 3) == 0 ? UINT64_MAX : strtoull(text, NULL, 10);
    return true;
}

bool memory_folder(char *folder, size_t size) {
    char own[512];
    uint64_t ignored;
    if (group("0::", own, sizeof own)) {
        snprintf(folder, size, "/sys/fs/cgroup%s", own);
        if (number_in(folder, "memory.max", &ignored)) {
            return true;
        }
    }
    snprintf(folder, size, "/sys/fs/cgroup");
    return number_in(folder, "memory.max", &ignored);
}

bool memory_kills_group(const char *folder) {
    uint64_t together;
    return number_in(folder, "memory.oom.group", &together) && together == 1;
}

bool memory_pressure(const char *folder, unsigned *percent) {
    char path[1024], stat[8192];
    uint64_t most, used, part;
    if (!number_in(folder, "memory.max", &most) || most == UINT64_MAX || most == 0
        || !number_in(folder, "memory.current", &used)) {
        return false;
    }
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    static const char *const given_back[] = {"inactive_file", "active_file", "slab_reclaimable"};
    if (slurp(path, stat, sizeof stat)) {
        for (unsigned i = 0; i < sizeof given_back / sizeof *given_back; i++) {
            used -= number_after(stat, given_back[i], &part) ? part < used ? part : used : 0;
        }
    }
    *percent = (unsigned)((double)used * 100 / (double)most);
    return true;
}

bool memory_oom_kills(uint64_t *kills) {
    char text[1024];
    return (v1("memory.oom_control", text, sizeof text) && number_after(text, "oom_kill", kills))
           || (v2("memory.events", text, sizeof text) && number_after(text, "oom_kill", kills));
}

bool memory_room(uint64_t *bytes) {
    char limit[64], usage[64];
    bool known = (v1("memory.limit_in_bytes", limit, sizeof limit) && v1("memory.usage_in_bytes", usage, sizeof usage))
                 || (v2("memory.max", limit, sizeof limit) && v2("memory.current", usage, sizeof usage));
    if (!known || strncmp(limit, "max", 3) == 0) {
        return false;
    }
    uint64_t most = strtoull(limit, NULL, 10), used = strtoull(usage, NULL, 10);
    *bytes = most > used ? most - used : 0;
    return most < UINT64_C(1) << 60; /* v1 writes a huge number for "no limit" */
}
