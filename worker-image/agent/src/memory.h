/* What the container's cgroup says about memory; v1 and v2, as seen from inside a container or on a host. */
#ifndef QUIVER_MEMORY_H
#define QUIVER_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* How many processes the kernel has killed here for lack of memory. False if the cgroup does not say. */
bool memory_oom_kills(uint64_t *kills);

/* Bytes that may still be used below the limit. False if there is no limit, or none can be read. */
bool memory_room(uint64_t *bytes);

#endif
