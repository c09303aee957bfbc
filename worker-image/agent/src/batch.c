/* Several tasks of one dispatch: reading their table. */
#include <string.h>

#include "quiver/slots.h"

int qv_batch_check(const void *input, uint64_t bytes, struct qv_error *error) {
    struct qv_batch head;
    if (bytes < sizeof head) {
        return qv_fail(error, "batch: %llu bytes of input, its header takes %zu", (unsigned long long)bytes, sizeof head);
    }
    memcpy(&head, input, sizeof head);
    if (head.magic != QV_BATCH_MAGIC || head.count < 1 || head.count > QV_MAX_BATCH
        || bytes < sizeof head + head.count * sizeof(struct qv_batch_entry)) {
        return qv_fail(error, "batch: magic 0x%x, %u tasks in %llu bytes: allowed are QBAT, 1 to %d, %zu for each",
                       head.magic, head.count, (unsigned long long)bytes, QV_MAX_BATCH, sizeof(struct qv_batch_entry));
    }
    const struct qv_batch_entry *entry = ((const struct qv_batch *)input)->entry;
    for (uint32_t i = 0; i < head.count; i++) {
        uint64_t at = entry[i].in_offset, length = entry[i].in_length, record = entry[i].record_offset;
        if (at % 8 != 0 || record % 8 != 0 || at > bytes || length > bytes - at || record >= bytes
            || entry[i].name_length > QV_NAME_BYTES) {
            return qv_fail(error, "batch: task %u has %llu bytes at %llu and its record at %llu of %llu", i,
                           (unsigned long long)length, (unsigned long long)at, (unsigned long long)record,
                           (unsigned long long)bytes);
        }
    }
    return (int)head.count;
}

uint32_t qv_batch_at(const struct qv_control_slot *control, const struct qv_exec_slot *exec, const void *input,
                     uint64_t bytes, struct qv_batch_entry *entry, uint32_t *count) {
    struct qv_error ignored;
    uint64_t length = control->in_length;
    bool batch = (control->flags & QV_BATCH) != 0 && length <= bytes;
    int checked = batch ? qv_batch_check(input, length, &ignored) : -1; /* not read again: the next one may be coming in */
    if (checked < 0) {
        return 0;
    }
    uint32_t done = 0;
    *count = (uint32_t)checked;
    if (qv_generation(atomic_load(&exec->word)) == qv_generation(atomic_load(&control->word))) {
        done = atomic_load(&exec->done) & QV_DONE_MASK;
    }
    uint32_t at = done < *count ? done : *count - 1;
    memcpy(entry, &((const struct qv_batch *)input)->entry[at], sizeof *entry);
    return at + 1;
}

struct qv_outcome *qv_outcomes(const struct qv_region *region, unsigned slot) {
    struct qv_outcome *all = (struct qv_outcome *)&region->exec->slot[region->control->prologue.slots];
    return all + (size_t)slot * QV_MAX_BATCH;
}

uint64_t qv_batch_deadline(const struct qv_region *region, unsigned slot, uint32_t count, uint64_t limit) {
    const struct qv_exec_slot *exec = &region->exec->slot[slot];
    uint64_t stated = __atomic_load_n(&region->control->slot[slot].deadline, __ATOMIC_RELAXED);
    uint32_t done = atomic_load(&exec->done), times = 1;
    if (limit == 0 || stated == 0) {
        return 0;
    }
    if ((done & QV_DONE_WHOLE) != 0) { /* not what is left: outcomes that are being written must not shorten it */
        times = count < 1 ? 1 : count < QV_MAX_BATCH ? count : QV_MAX_BATCH;
        done = 0;
    }
    done = (done & QV_DONE_MASK) <= QV_MAX_BATCH ? done & QV_DONE_MASK : QV_MAX_BATCH;
    uint64_t since = done > 0 ? qv_outcomes(region, slot)[done - 1].ended : exec->started;
    uint64_t own = limit > (UINT64_MAX - since) / times ? UINT64_MAX : since + times * limit;
    return own > stated ? own : stated; /* the supervisor may have granted more */
}
