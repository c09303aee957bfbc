/* A handler's side of a batch: its tasks one after the other, and their outcomes. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "handler.h"

static const struct qv_batch *table(const struct qv_handler *h) { return (const struct qv_batch *)h->input; }

int batch_open(struct qv_handler *h) {
    const struct qv_control_slot *control = handler_control(h);
    h->batch.count = h->batch.at = 0;
    h->batch.whole = false;
    if ((control->flags & QV_BATCH) == 0) {
        return 0;
    }
    if (!h->batches || control->in_length > h->input_bytes) {
        return qv_fail(&h->error, h->batches ? "a batch is larger than the slot's input" : "this handler takes no batches");
    }
    int count = qv_batch_check(h->input, control->in_length, &h->error);
    if (count < 0) {
        return -1;
    }
    h->batch.count = (uint32_t)count;
    h->batch.limit = table(h)->limit;
    return 0;
}

int batch_describe(struct qv_handler *h, uint32_t index, struct qv_task *to) {
    const struct qv_control_slot *control = handler_control(h);
    const struct qv_batch_entry *entry = &table(h)->entry[index];
    struct qv_command command;
    if (handler_record(h, entry->record_offset, control->in_length, &command) < 0) {
        return -1;
    }
    uint64_t room = control->out_limit - h->written;
    struct qv_task task = {.trial = entry->trial,
                           .allowed = entry->allowed,
                           .format = entry->format & QV_FORMAT_MASK,
                           .locator = entry->flags & QV_INPUT_LOCATOR,
                           .generation = atomic_load(&h->running),
                           .input = h->input + entry->in_offset,
                           .input_length = entry->in_length,
                           .output_limit = room,
                           .name = handler_name(h, entry->name, entry->name_length),
                           .id = entry->task,
                           .input_offset = entry->in_offset};
    handler_variables(&command, &task);
    handler_describe(h, &task, to);
    return 0;
}

void batch_outcome(struct qv_handler *h, uint32_t reason, const char *text, uint64_t retry_after_ms) {
    struct qv_outcome *outcome = &qv_outcomes(&h->region, h->slot)[h->batch.at];
    struct qv_exec_slot *exec = handler_exec(h);
    size_t length = text == NULL ? 0 : qv_utf8_cut(text, strlen(text), QV_MESSAGE_BYTES);
    outcome->ended = qv_now();
    outcome->out_offset = h->out_from;
    outcome->out_length = reason == QV_REASON_NONE ? h->written - h->out_from : 0;
    outcome->format = reason == QV_REASON_NONE ? h->format : QV_BYTES;
    outcome->reason = reason;
    outcome->retry_after_ms = retry_after_ms;
    outcome->message_length = (uint32_t)length;
    if (length > 0) {
        memcpy(outcome->message, text, length);
    }
    h->batch.at++;
    /* An Arrow reader wants its stream at a multiple of 8. */
    uint64_t next = (h->written + 7) & ~UINT64_C(7), limit = handler_control(h)->out_limit;
    h->written = h->out_from = reason != QV_REASON_NONE ? h->out_from : next < limit ? next : limit;
    h->format = QV_BYTES;
    if (!h->batch.whole) { /* they were about this task: the next one asks for its own time */
        __atomic_store_n(&exec->wanted_deadline, 0, __ATOMIC_RELAXED);
        qv_task_progress(h, 0, 0);
    }
    atomic_store(&exec->done, h->batch.at | (h->batch.whole ? QV_DONE_WHOLE : 0));
}

void batch_cut(struct qv_handler *h) {
    h->batch.count = h->batch.at;
    h->let_go = false;
    handler_exec(h)->exit = 0;
    handler_post(h, QV_COMPLETE);
}

uint32_t qv_batch_left(const struct qv_handler *h) {
    bool open = atomic_load(&h->running) != 0;
    return !open ? 0 : h->batch.count == 0 ? 1 : h->batch.count - h->batch.at;
}

/* All that are left can be read and are for one function. */
static int check_whole(struct qv_handler *h) {
    const char *function = NULL;
    struct qv_command command;
    for (uint32_t i = h->batch.at; i < h->batch.count; i++) {
        if (handler_record(h, table(h)->entry[i].record_offset, handler_control(h)->in_length, &command) < 0) {
            return -1;
        }
        if (function != NULL && strcmp(function, command.strings) != 0) {
            return qv_fail(&h->error, "task %u of the batch is for %.*s, the running one for %.*s", i, QV_MESSAGE_BYTES / 2,
                           command.strings, QV_MESSAGE_BYTES / 2, function);
        }
        function = command.strings;
    }
    return 0;
}

int qv_batch_whole(struct qv_handler *h) {
    if (h->step != STEP_RUNNING) {
        return qv_fail(&h->error, "a batch is taken as a whole when its task runs");
    }
    if (check_whole(h) < 0) {
        return -1;
    }
    if (h->batch.count != 0) {
        h->batch.whole = true;
        atomic_store(&handler_exec(h)->done, h->batch.at | QV_DONE_WHOLE);
    }
    return 0;
}

int qv_batch_task(struct qv_handler *h, uint32_t index, struct qv_task *task) {
    if (h->step != STEP_RUNNING || h->batch.count == 0 || index >= h->batch.count - h->batch.at) {
        return qv_fail(&h->error, "task %u of a batch: %u are left", index, h->step == STEP_RUNNING ? qv_batch_left(h) : 0);
    }
    return batch_describe(h, h->batch.at + index, task);
}

/* Where each output begins, and at [count] where the last one ends. Only an Arrow stream has to be aligned. */
static int lay_out(struct qv_handler *h, uint32_t count, const uint64_t *lengths, uint32_t format, uint64_t *begins) {
    uint64_t limit = handler_control(h)->out_limit, end = h->written;
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && format == QV_ARROW) {
            end = qv_command_offset(end) < limit ? qv_command_offset(end) : limit;
        }
        if (lengths[i] > limit - end) {
            return qv_fail(&h->error, "output: %u results take more than the %llu bytes of the slot", count,
                           (unsigned long long)limit);
        }
        begins[i] = end;
        end += lengths[i];
    }
    begins[count] = end;
    return 0;
}

/* What lies one after the other, as few writes as the gaps allow. */
static int write_all(struct qv_handler *h, uint32_t count, const uint64_t *begins, const uint64_t *lengths,
                     const char *bytes) {
    uint64_t before = h->written, part = 0;
    int written = 0;
    for (uint32_t i = 0; i < count && written == 0; i++) {
        part += lengths[i];
        if (i + 1 == count || begins[i] + lengths[i] != begins[i + 1]) {
            h->written = begins[i] + lengths[i] - part;
            written = part == 0 ? 0 : qv_task_write(h, bytes, part);
            bytes += part;
            part = 0;
        }
    }
    h->written = before;
    return written;
}

int qv_batch_pass(struct qv_handler *h, uint32_t count, const uint64_t *lengths, const void *bytes, uint32_t format) {
    uint64_t begins[QV_MAX_BATCH + 1];
    bool allowed = h->step == STEP_RUNNING && count >= 1 && count <= qv_batch_left(h);
    if (!allowed || (count > 1 && !h->batch.whole)) {
        return qv_fail(&h->error, "%u tasks of a batch cannot pass: %u are left", count,
                       h->step == STEP_RUNNING ? qv_batch_left(h) : 0);
    }
    if (handler_check_format(h, format) < 0) {
        return -1;
    }
    if (lay_out(h, count, lengths, format, begins) < 0 || write_all(h, count, begins, lengths, bytes) < 0) {
        return -1;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) {
            h->out_from = begins[i];
        }
        h->written = begins[i] + lengths[i];
        qv_task_format(h, format, 0);
        qv_task_complete(h);
    }
    return 0;
}
