#define _GNU_SOURCE
#include "memory.h"

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

/* What a version of cgroups calls its files, and what of the memory in use the kernel gives back before it runs out. */
struct version {
    const char *root, *marker, *limit, *usage;
    const char *given_back[3];
};
static const struct version v1 = {"/sys/fs/cgroup/memory",
                                  ":memory:",
                                  "memory.limit_in_bytes",
                                  "memory.usage_in_bytes",
                                  {"total_inactive_file", "total_active_file", NULL}};
static const struct version v2 = {"/sys/fs/cgroup",
                                  "0::",
                                  "memory.max",
                                  "memory.current",
                                  {"inactive_file", "active_file", "slab_reclaimable"}};

static bool slurp_in(const char *folder, const char *file, char *to, size_t size) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return slurp(path, to, size);
}

/* Our group's folder that has this file; in a container with its own cgroup namespace or mount, it is the root. */
static bool group_folder(const struct version *version, const char *file, char *folder, size_t size) {
    char own[512], text[64];
    if (group(version->marker, own, sizeof own)) {
        snprintf(folder, size, "%s%s", version->root, own);
        if (slurp_in(folder, file, text, sizeof text)) {
            return true;
        }
    }
    snprintf(folder, size, "%s", version->root);
    return slurp_in(folder, file, text, sizeof text);
}

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

/* A file of a group's folder as a number; "max" is UINT64_MAX. */
static bool number_in(const char *folder, const char *file, uint64_t *value) {
    char text[64];
    if (!slurp_in(folder, file, text, sizeof text)) {
        return false;
    }
    *value = strncmp(text, "max", 3) == 0 ? UINT64_MAX : strtoull(text, NULL, 10);
    return true;
}

/*
 * The limit, and what is used without what the kernel would give back first: files that tasks have read stay in the
 * page cache and fill any limit. What lies on tmpfs is not given back, and not counted as files. False without a limit.
 */
static bool limit_and_use(const char *folder, const struct version *version, uint64_t *most, uint64_t *used) {
    char stat[8192];
    uint64_t part;
    if (!number_in(folder, version->limit, most) || !number_in(folder, version->usage, used)
        || *most >= UINT64_C(1) << 60) { /* v1 writes a huge number for "no limit" */
        return false;
    }
    bool known = slurp_in(folder, "memory.stat", stat, sizeof stat);
    for (unsigned i = 0; known && i < 3 && version->given_back[i] != NULL; i++) {
        if (number_after(stat, version->given_back[i], &part)) {
            *used -= part < *used ? part : *used;
        }
    }
    return true;
}

bool memory_folder(char *folder, size_t size) { return group_folder(&v2, v2.limit, folder, size); }

bool memory_kills_group(const char *folder) {
    uint64_t together;
    return number_in(folder, "memory.oom.group", &together) && together == 1;
}

bool memory_pressure(const char *folder, unsigned *percent) {
    uint64_t most, used;
    if (!limit_and_use(folder, &v2, &most, &used) || most == 0) {
        return false;
    }
    *percent = (unsigned)((double)used * 100 / (double)most);
    return true;
}

static bool oom_kills(const struct version *version, const char *file, uint64_t *kills) {
    char folder[1024], text[1024];
    return group_folder(version, file, folder, sizeof folder) && slurp_in(folder, file, text, sizeof text)
           && number_after(text, "oom_kill", kills);
}

bool memory_oom_kills(uint64_t *kills) {
    return oom_kills(&v1, "memory.oom_control", kills) || oom_kills(&v2, "memory.events", kills);
}

bool memory_room(const char *folder, uint64_t *bytes) {
    static const struct version *const versions[] = {&v1, &v2};
    for (unsigned i = 0; i < 2; i++) {
        char own[1024];
        uint64_t most, used;
        bool there = folder != NULL || group_folder(versions[i], versions[i]->limit, own, sizeof own);
        if (there && limit_and_use(folder != NULL ? folder : own, versions[i], &most, &used)) {
            *bytes = most > used ? most - used : 0;
            return true;
        }
    }
    return false;
}
