/* What the container's cgroup says about memory; v1 and v2, as seen from inside a container or on a host. */
#ifndef QUIVER_MEMORY_H
#define QUIVER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many processes the kernel has killed here for lack of memory. False if the cgroup does not say. */
bool memory_oom_kills(uint64_t *kills);

/*
 * Bytes that may still be used below the limit, what the kernel would give back first among them. `folder` NULL: our own
 * cgroup's. False if there is no limit, or none can be read.
 */
bool memory_room(const char *folder, uint64_t *bytes);

/* The folder of our cgroup when it is of version 2 and can have a limit. */
bool memory_folder(char *folder, size_t size);

/* Whether the kernel ends all processes of the group when one exceeds the limit. */
bool memory_kills_group(const char *folder);

/* Percent of the limit in use, without what the kernel would give back first. False if there is no limit. */
bool memory_pressure(const char *folder, unsigned *percent);

#endif
