/* Several tasks of one dispatch: libquiver's side, the keeper's, and whoever looks at the slot. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "rig.h"

#define SECOND UINT64_C(1000000000)

/* Puts `count` tasks into the slot: inputs "0", "11", "222" …, each with a variable of its own. */
static struct qv_batch *fill(struct rig *rig, uint32_t count, uint64_t limit) {
    struct qv_batch *batch = (struct qv_batch *)rig->input;
    struct qv_control_slot *slot = &rig->control->slot[0];
    uint64_t at = sizeof *batch + count * sizeof *batch->entry;
    batch->magic = QV_BATCH_MAGIC;
    batch->count = count;
    batch->limit = limit;
    for (uint32_t i = 0; i < count; i++) {
        struct qv_batch_entry *entry = &batch->entry[i];
        char strings[64] = "table.sum";
        size_t length = 10 + (size_t)snprintf(strings + 10, sizeof strings - 10, "QUIVER_INDEX=%u", i) + 1;
        struct qv_command_header header = {.magic = QV_COMMAND_MAGIC, .major = QV_MAJOR, .argc = 1, .envc = 1,
                                           .record_bytes = (uint32_t)(sizeof header + length)};
        *entry = (struct qv_batch_entry){.task = {(uint8_t)i}, .in_offset = at, .in_length = i + 1,
                                         .record_offset = qv_command_offset(at + i + 1), .trial = 1, .allowed = 2,
                                         .format = QV_JSON, .name_length = 6};
        snprintf(entry->name, sizeof entry->name, "task-%u", i);
        memset(rig->input + at, '0' + (int)i, i + 1);
        memcpy(rig->input + entry->record_offset, &header, sizeof header);
        memcpy(rig->input + entry->record_offset + sizeof header, strings, length);
        at = qv_command_offset(entry->record_offset + header.record_bytes);
    }
    CHECK(at <= RIG_IN_BYTES);
    slot->kind = QV_KIND_HANDLER;
    slot->flags = QV_BATCH;
    slot->format = QV_JSON;
    slot->trial = 1;
    slot->allowed = 2;
    slot->in_length = at;
    slot->out_limit = 64;
    slot->deadline = limit == 0 ? 0 : qv_now() + limit;
    slot->name_length = 6;
    memcpy(slot->name, "task-0", 6);
    return batch;
}

static struct qv_exec_slot *record(struct rig *rig) { return &rig->region.exec->slot[0]; }

static const struct qv_outcome *outcome(struct rig *rig, unsigned index) { return qv_outcomes(&rig->region, 0) + index; }

static uint32_t done(struct rig *rig) { return atomic_load(&record(rig)->done); }

/* A handler that takes batches and has its turn. */
static struct qv_handler *rig_batches(struct rig *rig) {
    setenv("QUIVER_MINOR", "2", 1);
    rig_open(rig);
    CHECK(qv_handler_batches(rig->handler) == 0 && qv_handler_announce(rig->handler, "table.sum") == 0);
    CHECK(heard(rig) == QV_TURN_HELLO && turn_send(rig->turn_fd, QV_TURN_GO, 0, NULL, 0) == 0);
    return rig->handler;
}

/* Takes the first task of a batch. */
static struct qv_handler *rig_running(struct rig *rig, uint32_t count, uint64_t limit, struct qv_task *task) {
    struct qv_handler *h = rig_batches(rig);
    fill(rig, count, limit);
    supervisor(rig, 1, QV_OP_RUN);
    *task = (struct qv_task){.bytes = sizeof *task};
    CHECK(qv_handler_take(h, task, 1000) == QV_TAKEN && executor(rig) == qv_word(1, QV_RUNNING));
    return h;
}

static int passes(struct qv_handler *h, const char *output) {
    return qv_task_write(h, output, strlen(output)) < 0 ? -1 : qv_task_complete(h);
}

/* The running task passes, the next one is the caller's. */
static bool next(struct qv_handler *h, struct qv_task *task) {
    return passes(h, "ok") == 0 && qv_task_release(h) == 0 && qv_handler_take(h, task, 0) == QV_TAKEN;
}

/* The result is acknowledged, and the slot becomes ready. */
static void settles(struct rig *rig) {
    supervisor(rig, qv_generation(executor(rig)), QV_OP_ACKNOWLEDGE);
    CHECK(qv_task_release(rig->handler) == 0 && qv_code(executor(rig)) == QV_READY);
}

static void output_is(struct rig *rig, off_t at, const char *wanted) {
    char path[128], bytes[65] = "";
    snprintf(path, sizeof path, "%s/task-0.out", rig->root);
    int fd = open(path, O_RDONLY);
    CHECK(pread(fd, bytes, strlen(wanted), at) == (ssize_t)strlen(wanted) && strcmp(bytes, wanted) == 0);
    close(fd);
}

static void gives_one_task_after_the_other(void) {
    struct rig rig;
    struct qv_task task;
    struct qv_handler *h = rig_running(&rig, 3, 0, &task);
    const uint8_t *input = task.input - task.input_offset;
    uint64_t before = 0;
    CHECK(qv_batch_left(h) == 3 && task.output_limit == 64);
    for (uint32_t i = 0; i < 3; i++) {
        char index[24];
        snprintf(index, sizeof index, "QUIVER_INDEX=%u", i);
        CHECK(task.id[0] == i && task.name[5] == '0' + (int)i && strcmp(task.handler, "table.sum") == 0);
        CHECK(task.input_length == i + 1 && task.input[i] == '0' + (int)i && task.input == input + task.input_offset);
        CHECK(task.environment_count == 1 && strcmp(task.environment, index) == 0 && task.format == QV_JSON);
        CHECK(task.generation == 1 && task.trial == 1 && task.allowed == 2 && (uintptr_t)task.input % 8 == 0);
        CHECK(executor(&rig) == qv_word(1, QV_RUNNING) && done(&rig) == i);
        qv_task_progress(h, i + 1, 9);
        qv_task_extend(h, qv_now() + SECOND);
        CHECK(qv_task_write(h, "result", i + 1) == 0);
        qv_task_format(h, i == 1 ? QV_JSON : QV_BYTES, 0);
        CHECK(qv_task_complete(h) == 0 && qv_batch_left(h) == (i == 2 ? 0 : 2 - i));
        CHECK(outcome(&rig, i)->ended >= before && outcome(&rig, i)->reason == QV_REASON_NONE);
        CHECK(outcome(&rig, i)->out_offset == 8 * i && outcome(&rig, i)->out_length == i + 1);
        CHECK(outcome(&rig, i)->format == (i == 1 ? QV_JSON : QV_BYTES) && outcome(&rig, i)->message_length == 0);
        before = outcome(&rig, i)->ended;
        if (i < 2) {
            CHECK(qv_handler_take(h, &task, 0) < 0 && qv_task_write(h, "x", 1) < 0);
            CHECK(record(&rig)->progress == 0 && record(&rig)->total == 0 && record(&rig)->wanted_deadline == 0);
            CHECK(qv_task_release(h) == 0 && qv_handler_take(h, &task, 0) == QV_TAKEN && task.output_limit == 56 - 8 * i);
        }
    }
    CHECK(executor(&rig) == qv_word(1, QV_COMPLETE) && done(&rig) == 3 && record(&rig)->exit == 0);
    output_is(&rig, 0, "r");
    output_is(&rig, 8, "re");
    output_is(&rig, 16, "res");
    settles(&rig);
    CHECK(qv_batch_left(h) == 0);
    fill(&rig, 2, 0); /* what is left of a batch concerns no other */
    supervisor(&rig, 2, QV_OP_RUN);
    CHECK(qv_handler_take(h, &task, 1000) == QV_TAKEN && done(&rig) == 0 && qv_batch_left(h) == 2);
    CHECK(next(h, &task) && passes(h, "") == 0 && executor(&rig) == qv_word(2, QV_COMPLETE));
    settles(&rig);
    rig.control->slot[0].flags = 0;
    dispatch_golden(&rig, 3);
    CHECK(qv_handler_take(h, &task, 1000) == QV_TAKEN && task.input_offset == 0 && qv_batch_left(h) == 1);
    CHECK(task.input_length == 7 && qv_task_complete(h) == 0 && executor(&rig) == qv_word(3, QV_COMPLETE));
    rig_close(&rig);
}

static void a_failure_ends_the_dispatch_at_its_task(void) {
    struct rig rig;
    struct qv_task task;
    struct qv_handler *h = rig_running(&rig, 3, 0, &task);
    CHECK(next(h, &task) && qv_task_write(h, "lost", 4) == 0);
    CHECK(qv_task_fail(h, QV_EXCEPTION, "ValueError: no", "Traceback\n", 1500) == 0);
    CHECK(executor(&rig) == qv_word(1, QV_RETRY) && done(&rig) == 1 && record(&rig)->reason == QV_EXCEPTION);
    CHECK(record(&rig)->retry_after_ms == 1500 && record(&rig)->message_length == 14 && record(&rig)->stderr_bytes == 10);
    CHECK(qv_batch_left(h) == 0 && outcome(&rig, 0)->out_length == 2);
    settles(&rig);
    CHECK(qv_handler_take(h, &task, 0) == QV_NOTHING);
    rig_close(&rig);
}

/* Who is called off behind another's outcome goes back without a trial; the first one has nobody before it. */
static void a_cancel_ends_it_before_the_task_under_way(void) {
    struct rig rig;
    struct qv_task task;
    struct qv_handler *h = rig_running(&rig, 3, 0, &task);
    CHECK(next(h, &task) && qv_task_fail(h, QV_DRAINED, "stopped", NULL, 0) < 0); /* it was not */
    supervisor(&rig, 1, QV_OP_CANCEL);
    CHECK(qv_task_cancelled(h) == QV_CANCELLED && qv_task_fail(h, QV_CANCELLED, "stopped", NULL, 0) == 0);
    CHECK(executor(&rig) == qv_word(1, QV_COMPLETE) && done(&rig) == 1 && record(&rig)->reason == QV_REASON_NONE);
    CHECK(qv_task_release(h) == 0 && executor(&rig) == qv_word(1, QV_READY));
    fill(&rig, 3, 0);
    supervisor(&rig, 2, QV_OP_RUN);
    CHECK(qv_handler_take(h, &task, 1000) == QV_TAKEN && turn_send(rig.turn_fd, QV_TURN_CANCEL, 2, NULL, 0) == 0);
    CHECK(qv_task_cancelled(h) == QV_DRAINED && qv_task_fail(h, QV_DRAINED, "stopped", NULL, 0) == 0);
    CHECK(executor(&rig) == qv_word(2, QV_RETRY) && done(&rig) == 0 && record(&rig)->reason == QV_DRAINED);
    settles(&rig);
    rig_close(&rig);
}

/* Cancel, drain, and a deadline that the last task met just so: nothing further is begun. */
static void nothing_is_begun_once_it_is_called_off(void) {
    for (int way = 0; way < 3; way++) {
        struct rig rig;
        struct qv_task task;
        struct qv_handler *h = rig_running(&rig, 3, 0, &task);
        CHECK(passes(h, "ok") == 0 && qv_task_release(h) == 0);
        usleep(2000); /* the socket is read once in a millisecond */
        if (way == 0) {
            supervisor(&rig, 1, QV_OP_CANCEL);
        } else {
            CHECK(turn_send(rig.turn_fd, way == 1 ? QV_TURN_STOP : QV_TURN_CANCEL, 1, NULL, 0) == 0);
            supervisor(&rig, 1, QV_OP_ACKNOWLEDGE); /* foreseen: the test has one thread */
        }
        CHECK(qv_handler_take(h, &task, 10) == (way == 1 ? QV_STOP : QV_NOTHING));
        CHECK(done(&rig) == 1 && executor(&rig) == qv_word(1, QV_READY) && record(&rig)->reason == QV_REASON_NONE);
        rig_close(&rig);
    }
}

static void an_output_that_others_leave_no_room_for_goes_back(void) {
    struct rig rig;
    struct qv_task task;
    char large[65] = "";
    struct qv_handler *h = rig_running(&rig, 3, 0, &task);
    memset(large, 'x', 60);
    CHECK(next(h, &task) && task.output_limit == 56 && qv_task_write(h, large, 60) < 0);
    CHECK(qv_task_fail(h, QV_OUTPUT_TOO_LARGE, "60 bytes", NULL, 0) == 0);
    CHECK(executor(&rig) == qv_word(1, QV_COMPLETE) && done(&rig) == 1 && record(&rig)->reason == QV_REASON_NONE);
    settles(&rig);
    fill(&rig, 2, 0); /* the slot would not take it alone either */
    supervisor(&rig, 2, QV_OP_RUN);
    CHECK(qv_handler_take(h, &task, 1000) == QV_TAKEN && passes(h, "") == 0 && qv_task_release(h) == 0);
    CHECK(qv_handler_take(h, &task, 0) == QV_TAKEN && task.output_limit == 64 && qv_task_write(h, large, 65) < 0);
    CHECK(qv_task_fail(h, QV_OUTPUT_TOO_LARGE, "65 bytes", NULL, 0) == 0);
    CHECK(executor(&rig) == qv_word(2, QV_RETRY) && done(&rig) == 1 && record(&rig)->reason == QV_OUTPUT_TOO_LARGE);
    settles(&rig);
    rig_close(&rig);
}

/* What is written again replaces the running task's output, not the ones before. */
static void an_output_written_anew_leaves_those_before(void) {
    struct rig rig;
    struct qv_task task;
    struct qv_handler *h = rig_running(&rig, 2, 0, &task);
    CHECK(next(h, &task) && qv_task_write(h, "wrong", 5) == 0 && qv_task_rewrite(h) == 0 && passes(h, "right") == 0);
    CHECK(outcome(&rig, 1)->out_offset == 8 && outcome(&rig, 1)->out_length == 5);
    output_is(&rig, 0, "ok");
    output_is(&rig, 8, "right");
    settles(&rig);
    rig_close(&rig);
}

static void a_process_that_is_not_clean_leaves_in_the_middle(void) {
    struct rig rig;
    struct qv_task task;
    struct turn_message said;
    struct qv_error error;
    struct qv_handler *h = rig_running(&rig, 3, 0, &task);
    CHECK(next(h, &task) && passes(h, "kept") == 0 && qv_task_settle(h) == 0);
    CHECK(executor(&rig) == qv_word(1, QV_RUNNING)); /* the third is still ours */
    supervisor(&rig, 1, QV_OP_ACKNOWLEDGE);
    CHECK(qv_task_replace(h) == 0 && executor(&rig) == qv_word(1, QV_CLEANING) && done(&rig) == 2);
    CHECK(turn_receive(rig.turn_fd, &said, false, &error) == 1 && said.head.type == QV_TURN_REPLACE);
    CHECK(said.head.generation == 1 && qv_handler_take(h, &task, 1000) == QV_STOP);
    rig_close(&rig);
}

static void a_record_that_cannot_be_read_ends_it_there(void) {
    struct rig rig;
    struct qv_task task;
    struct qv_handler *h = rig_batches(&rig);
    struct qv_batch *batch = fill(&rig, 3, 0);
    memset(rig.input + batch->entry[1].record_offset, 0xFF, 8);
    supervisor(&rig, 1, QV_OP_RUN);
    task = (struct qv_task){.bytes = sizeof task};
    CHECK(qv_handler_take(h, &task, 1000) == QV_TAKEN && qv_batch_whole(h) < 0 && done(&rig) == 0);
    CHECK(passes(h, "ok") == 0 && qv_task_release(h) == 0);
    supervisor(&rig, 1, QV_OP_ACKNOWLEDGE);
    CHECK(qv_handler_take(h, &task, 1) == QV_NOTHING && done(&rig) == 1 && record(&rig)->reason == QV_BAD_RECORD);
    CHECK(strstr(qv_handler_words(h), "QCMD") != NULL && executor(&rig) == qv_word(1, QV_READY));
    rig_close(&rig);
}

static void refused(struct rig *rig, uint64_t generation, const char *words) {
    struct qv_task task = {.bytes = sizeof task};
    supervisor(rig, generation, QV_OP_RUN);
    CHECK(turn_send(rig->turn_fd, QV_TURN_CANCEL, 1, NULL, 0) == 0); /* of no account */
    pid_t acknowledges = fork();
    if (acknowledges == 0) {
        while (executor(rig) != qv_word(generation, QV_RETRY)) {
            usleep(100);
        }
        supervisor(rig, generation, QV_OP_ACKNOWLEDGE);
        _exit(0);
    }
    CHECK(qv_handler_take(rig->handler, &task, 1) == QV_NOTHING);
    CHECK(waitpid(acknowledges, NULL, 0) == acknowledges && executor(rig) == qv_word(generation, QV_READY));
    CHECK(record(rig)->reason == QV_BAD_RECORD && done(rig) == 0 && strstr(qv_handler_words(rig->handler), words) != NULL);
}

static void a_table_that_is_none_is_refused(void) {
    struct rig rig;
    rig_batches(&rig);
    fill(&rig, 3, 0)->magic++;
    refused(&rig, 1, "magic");
    fill(&rig, 3, 0)->count = 0;
    refused(&rig, 2, "0 tasks");
    fill(&rig, 3, 0)->count = QV_MAX_BATCH + 1;
    refused(&rig, 3, "65 tasks");
    fill(&rig, 3, 0)->entry[2].in_length = RIG_IN_BYTES;
    refused(&rig, 4, "task 2 has 4096 bytes");
    fill(&rig, 3, 0)->entry[1].in_offset += 4;
    refused(&rig, 5, "task 1");
    fill(&rig, 3, 0)->entry[1].record_offset = UINT64_MAX - 7;
    refused(&rig, 6, "task 1");
    fill(&rig, 3, 0)->entry[0].name_length = QV_NAME_BYTES + 1;
    refused(&rig, 7, "task 0");
    fill(&rig, 3, 0);
    rig.control->slot[0].in_length = RIG_IN_BYTES + 1;
    refused(&rig, 8, "larger than the slot's input");
    rig.control->slot[0].in_length = 15;
    refused(&rig, 9, "its header takes 16");
    rig.control->slot[0].flags = 0; /* as a task's length, this one would wrap around */
    rig.control->slot[0].in_length = UINT64_MAX - 3;
    refused(&rig, 10, "no room for its record");
    rig_close(&rig);
}

static void a_handler_that_did_not_ask_for_batches_gets_none(void) {
    struct rig rig;
    setenv("QUIVER_MINOR", "2", 1);
    rig_open(&rig);
    CHECK(qv_handler_announce(rig.handler, "table.sum") == 0 && qv_handler_batches(rig.handler) < 0);
    CHECK(turn_send(rig.turn_fd, QV_TURN_GO, 0, NULL, 0) == 0);
    fill(&rig, 2, 0);
    refused(&rig, 1, "takes no batches");
    rig_close(&rig);
}

/* An earlier agent refuses a hello with a minor version. */
static void hello_has_a_minor_version_where_it_is_understood(void) {
    static const struct { const char *minor; bool asks; uint64_t version; } cases[] = {
        {NULL, true, 1}, {"1", true, 1}, {"", true, 1}, {"2", false, 1}, {"2", true, 1 | QV_MINOR << 16}, {"9", true, 1 | QV_MINOR << 16}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rig rig;
        struct turn_message said;
        struct qv_error error;
        unsetenv("QUIVER_MINOR");
        if (cases[i].minor != NULL) {
            setenv("QUIVER_MINOR", cases[i].minor, 1);
        }
        rig_open(&rig);
        CHECK(!cases[i].asks || qv_handler_batches(rig.handler) == 0);
        CHECK(qv_handler_announce(rig.handler, "table.sum") == 0);
        CHECK(turn_receive(rig.turn_fd, &said, false, &error) == 1 && said.head.type == QV_TURN_HELLO);
        CHECK(said.head.generation == cases[i].version);
        rig_close(&rig);
    }
}

static void one_call_takes_all_that_are_left(void) {
    struct rig rig;
    struct qv_task task, second = {.bytes = sizeof second};
    uint64_t lengths[] = {1, 2, 3};
    struct qv_handler *h = rig_running(&rig, 3, 0, &task);
    CHECK(qv_batch_pass(h, 2, lengths, "122", QV_JSON) < 0); /* not said to be one call */
    CHECK(qv_batch_whole(h) == 0 && done(&rig) == QV_DONE_WHOLE && qv_batch_whole(h) == 0);
    CHECK(qv_batch_task(h, 1, &second) == 0 && second.id[0] == 1 && second.input[1] == '1' && second.input_length == 2);
    CHECK(strcmp(second.name, "task-1") == 0 && strcmp(second.environment, "QUIVER_INDEX=1") == 0);
    CHECK(qv_batch_task(h, 3, &second) < 0 && strstr(qv_handler_words(h), "3 are left") != NULL);
    CHECK(qv_batch_pass(h, 4, lengths, "122333", QV_JSON) < 0 && qv_batch_pass(h, 0, lengths, "", QV_JSON) < 0);
    CHECK(qv_batch_pass(h, 3, lengths, "122333", QV_ARGUMENTS) < 0);
    CHECK(qv_batch_pass(h, 1, lengths, "1", 3) < 0 && qv_batch_pass(h, 1, lengths, "1", 5) < 0);
    CHECK(qv_batch_pass(h, 3, lengths, "122333", QV_JSON) == 0);
    CHECK(executor(&rig) == qv_word(1, QV_COMPLETE) && done(&rig) == (QV_DONE_WHOLE | 3) && qv_batch_left(h) == 0);
    for (unsigned i = 0; i < 3; i++) {
        CHECK(outcome(&rig, i)->format == QV_JSON && outcome(&rig, i)->out_length == i + 1);
        CHECK(outcome(&rig, i)->out_offset == i * (i + 1) / 2 && outcome(&rig, i)->ended >= record(&rig)->started);
    }
    output_is(&rig, 0, "122333");
    settles(&rig);
    fill(&rig, 3, 0); /* a stream begins at a multiple of 8 */
    supervisor(&rig, 2, QV_OP_RUN);
    CHECK(qv_handler_take(h, &task, 1000) == QV_TAKEN && next(h, &task) && qv_batch_whole(h) == 0);
    CHECK(qv_batch_task(h, 0, &second) == 0 && second.id[0] == 1 && qv_batch_pass(h, 2, lengths, "122", QV_ARROW) == 0);
    CHECK(outcome(&rig, 1)->out_offset == 8 && outcome(&rig, 2)->out_offset == 16 && done(&rig) == (QV_DONE_WHOLE | 3));
    output_is(&rig, 0, "ok");
    output_is(&rig, 8, "1");
    output_is(&rig, 16, "22");
    settles(&rig);
    rig_close(&rig);
}

static void tasks_of_one_call_fail_by_themselves(void) {
    struct rig rig;
    struct qv_task task;
    uint64_t one = 4, none[2] = {0, 0};
    struct qv_handler *h = rig_running(&rig, 5, 0, &task);
    CHECK(qv_batch_whole(h) == 0 && qv_batch_pass(h, 1, &one, "good", QV_BYTES) == 0 && qv_task_write(h, "half", 4) == 0);
    CHECK(qv_task_fail(h, QV_EXCEPTION, "ValueError: no", NULL, 1500) == 0 && done(&rig) == (QV_DONE_WHOLE | 2));
    CHECK(executor(&rig) == qv_word(1, QV_RUNNING) && qv_batch_left(h) == 3);
    CHECK(qv_task_fail(h, QV_DO_NOT_RETRY, "Never: no", NULL, 0) == 0 && qv_batch_pass(h, 2, none, NULL, QV_BYTES) == 0);
    CHECK(executor(&rig) == qv_word(1, QV_COMPLETE) && record(&rig)->reason == QV_REASON_NONE && done(&rig) == (QV_DONE_WHOLE | 5));
    CHECK(outcome(&rig, 1)->reason == QV_EXCEPTION && outcome(&rig, 1)->retry_after_ms == 1500);
    CHECK(outcome(&rig, 1)->message_length == 14 && memcmp(outcome(&rig, 1)->message, "ValueError: no", 14) == 0);
    CHECK(outcome(&rig, 1)->out_length == 0 && outcome(&rig, 2)->reason == QV_DO_NOT_RETRY && outcome(&rig, 2)->retry_after_ms == 0);
    CHECK(outcome(&rig, 3)->reason == QV_REASON_NONE && outcome(&rig, 4)->message_length == 0);
    settles(&rig);
    rig_close(&rig);
}

static void a_call_of_all_fails_for_all_that_have_no_outcome(void) {
    struct rig rig;
    struct qv_task task;
    struct qv_handler *h = rig_running(&rig, 3, 0, &task);
    CHECK(qv_batch_whole(h) == 0 && qv_batch_fail(h, QV_EXCEPTION, "ValueError: no", "Traceback\n", 0) == 0);
    CHECK(executor(&rig) == qv_word(1, QV_RETRY) && done(&rig) == QV_DONE_WHOLE && qv_batch_left(h) == 0);
    CHECK(record(&rig)->reason == QV_EXCEPTION && record(&rig)->stderr_bytes == 10);
    settles(&rig);
    fill(&rig, 3, 0);
    supervisor(&rig, 2, QV_OP_RUN);
    CHECK(qv_handler_take(h, &task, 1000) == QV_TAKEN && qv_batch_whole(h) == 0);
    CHECK(turn_send(rig.turn_fd, QV_TURN_CANCEL, 2, NULL, 0) == 0 && qv_task_cancelled(h) == QV_DRAINED);
    CHECK(qv_batch_fail(h, QV_DRAINED, "stopped", NULL, 0) == 0); /* nobody has to run alone for it */
    CHECK(executor(&rig) == qv_word(2, QV_RETRY) && done(&rig) == 0 && record(&rig)->reason == QV_DRAINED);
    settles(&rig);
    rig_close(&rig);
}

static void results_of_one_call_that_do_not_fit_go_back(void) {
    struct rig rig;
    struct qv_task task;
    uint64_t lengths[] = {40, 25};
    char bytes[65] = "";
    struct qv_handler *h = rig_running(&rig, 3, 0, &task);
    CHECK(qv_batch_whole(h) == 0 && qv_batch_pass(h, 2, lengths, bytes, QV_BYTES) < 0 && done(&rig) == QV_DONE_WHOLE);
    CHECK(qv_batch_pass(h, 1, lengths, bytes, QV_BYTES) == 0 && qv_batch_pass(h, 1, lengths + 1, bytes, QV_BYTES) < 0);
    CHECK(qv_task_fail(h, QV_OUTPUT_TOO_LARGE, "25 bytes", NULL, 0) == 0 && qv_batch_left(h) == 0);
    CHECK(executor(&rig) == qv_word(1, QV_COMPLETE) && done(&rig) == (QV_DONE_WHOLE | 1));
    settles(&rig);
    fill(&rig, 3, 0); /* a full slot still takes nothing at all */
    supervisor(&rig, 2, QV_OP_RUN);
    rig.control->slot[0].out_limit = 61;
    lengths[0] = 61;
    lengths[1] = 0;
    CHECK(qv_handler_take(h, &task, 1000) == QV_TAKEN && qv_batch_whole(h) == 0);
    CHECK(qv_batch_pass(h, 1, lengths, bytes, QV_BYTES) == 0 && qv_batch_pass(h, 1, lengths + 1, NULL, QV_BYTES) == 0);
    CHECK(outcome(&rig, 1)->out_offset == 61 && outcome(&rig, 1)->out_length == 0);
    lengths[0] = 0;
    CHECK(qv_batch_pass(h, 1, lengths, NULL, QV_ARROW) == 0 && executor(&rig) == qv_word(2, QV_COMPLETE));
    settles(&rig);
    rig_close(&rig);
}

static void tasks_for_two_functions_are_no_call_of_one(void) {
    struct rig rig;
    struct qv_task task;
    struct qv_handler *h = rig_running(&rig, 3, 0, &task);
    struct qv_batch *batch = (struct qv_batch *)rig.input;
    memcpy(rig.input + batch->entry[2].record_offset + sizeof(struct qv_command_header), "other.one", 9);
    CHECK(qv_batch_whole(h) < 0 && strstr(qv_handler_words(h), "task 2 of the batch is for other.one") != NULL);
    CHECK(done(&rig) == 0 && next(h, &task) && next(h, &task) && strcmp(task.handler, "other.one") == 0);
    CHECK(qv_batch_whole(h) == 0 && done(&rig) == (QV_DONE_WHOLE | 2) && qv_task_complete(h) == 0);
    rig_close(&rig);
}

/* Outside of a batch, and for its last task, one task is all. */
static void one_task_can_be_taken_as_a_whole(void) {
    struct rig rig;
    struct qv_task task = {.bytes = sizeof task}, same = {.bytes = sizeof same};
    uint64_t length = 6;
    struct qv_handler *h = rig_batches(&rig);
    dispatch_golden(&rig, 1);
    CHECK(qv_handler_take(h, &task, 1000) == QV_TAKEN && qv_batch_whole(h) == 0 && qv_batch_left(h) == 1);
    CHECK(qv_batch_task(h, 0, &same) < 0 && qv_batch_pass(h, 2, &length, "result", QV_JSON) < 0);
    CHECK(qv_batch_pass(h, 1, &length, "result", QV_JSON) == 0 && done(&rig) == 0);
    CHECK(executor(&rig) == qv_word(1, QV_COMPLETE) && record(&rig)->out_length == 6 && record(&rig)->format == QV_JSON);
    settles(&rig);
    dispatch_golden(&rig, 2);
    CHECK(qv_handler_take(h, &task, 1000) == QV_TAKEN && qv_batch_fail(h, QV_EXCEPTION, "E: no", NULL, 0) == 0);
    CHECK(executor(&rig) == qv_word(2, QV_RETRY) && record(&rig)->reason == QV_EXCEPTION);
    settles(&rig);
    fill(&rig, 2, 0);
    supervisor(&rig, 3, QV_OP_RUN);
    CHECK(qv_handler_take(h, &task, 1000) == QV_TAKEN && qv_batch_pass(h, 1, &length, "result", QV_EFFECTS) == 0);
    CHECK(outcome(&rig, 0)->format == QV_EFFECTS && outcome(&rig, 0)->out_length == 6);
    CHECK(qv_task_release(h) == 0 && qv_handler_take(h, &task, 0) == QV_TAKEN && task.id[0] == 1 && done(&rig) == 1);
    rig_close(&rig);
}

static void each_task_has_its_own_time(void) {
    struct rig rig;
    struct qv_task task;
    struct qv_handler *h = rig_running(&rig, 3, SECOND, &task);
    uint64_t began = record(&rig)->started;
    CHECK(qv_task_deadline(h) == began + SECOND && task.deadline == began + SECOND && qv_task_cancelled(h) == 0);
    usleep(2000);
    CHECK(next(h, &task) && qv_task_deadline(h) == outcome(&rig, 0)->ended + SECOND && task.deadline == qv_task_deadline(h));
    rig.control->slot[0].deadline = began + 5 * SECOND; /* granted */
    CHECK(qv_task_deadline(h) == began + 5 * SECOND);
    rig.control->slot[0].deadline = 1;
    CHECK(qv_batch_whole(h) == 0 && qv_task_deadline(h) == began + 3 * SECOND);
    CHECK(qv_task_complete(h) == 0 && qv_task_deadline(h) == began + 3 * SECOND); /* an outcome does not shorten it */
    rig.control->slot[0].deadline = 0;
    CHECK(qv_task_deadline(h) == 0);
    CHECK(qv_batch_deadline(&rig.region, 0, 0, SECOND) == 0);
    rig.control->slot[0].deadline = 1;
    CHECK(qv_batch_deadline(&rig.region, 0, 0, SECOND) == began + SECOND); /* a count and a limit that nobody checked */
    CHECK(qv_batch_deadline(&rig.region, 0, UINT32_MAX, SECOND) == began + QV_MAX_BATCH * SECOND);
    CHECK(qv_batch_deadline(&rig.region, 0, 3, UINT64_MAX) == UINT64_MAX);
    rig_close(&rig);
}

static void a_task_past_its_time_is_the_one_to_blame(void) {
    struct rig rig;
    struct qv_task task;
    struct qv_handler *h = rig_running(&rig, 3, SECOND / 100, &task);
    CHECK(next(h, &task) && qv_task_deadline(h) == outcome(&rig, 0)->ended + SECOND / 100);
    usleep(15000);
    CHECK(qv_task_cancelled(h) == QV_TIMED_OUT && qv_task_fail(h, QV_TIMED_OUT, "late", NULL, 0) == 0);
    CHECK(executor(&rig) == qv_word(1, QV_RETRY) && done(&rig) == 1 && record(&rig)->reason == QV_TIMED_OUT);
    settles(&rig);
    fill(&rig, 3, SECOND / 200); /* of one call, nobody knows which one it was */
    supervisor(&rig, 2, QV_OP_RUN);
    CHECK(qv_handler_take(h, &task, 1000) == QV_TAKEN && qv_batch_whole(h) == 0);
    CHECK(qv_task_deadline(h) == record(&rig)->started + 3 * (SECOND / 200));
    usleep(20000);
    CHECK(qv_task_cancelled(h) == QV_TIMED_OUT && qv_task_fail(h, QV_TIMED_OUT, "late", NULL, 0) == 0);
    CHECK(executor(&rig) == qv_word(2, QV_RETRY) && done(&rig) == QV_DONE_WHOLE);
    settles(&rig);
    rig_close(&rig);
}

static void whoever_looks_sees_the_task_under_way(void) {
    struct rig rig;
    struct qv_task task;
    struct qv_packet packet;
    struct qv_batch_entry entry;
    uint8_t bytes[256];
    uint32_t count;
    struct qv_handler *h = rig_running(&rig, 2, 0, &task);
    const struct qv_control_slot *control = &rig.control->slot[0];
    CHECK(next(h, &task));
    CHECK(qv_handler_packet(h, 0, bytes) == 0 && qv_packet_decode(bytes, sizeof bytes, &packet) == 0);
    CHECK(packet.state == QV_STATE_RUNNING && packet.task[0] == 1 && packet.length == 2);
    CHECK(packet.name_length == 6 && memcmp(packet.name, "task-1", 6) == 0);
    CHECK(qv_batch_at(control, record(&rig), rig.input, RIG_IN_BYTES, &entry, &count) == 2 && count == 2);
    CHECK(passes(h, "") == 0); /* all have an outcome: the last one */
    CHECK(qv_batch_at(control, record(&rig), rig.input, RIG_IN_BYTES, &entry, &count) == 2 && entry.task[0] == 1);
    CHECK(qv_batch_at(control, record(&rig), rig.input, control->in_length - 1, &entry, &count) == 0);
    settles(&rig);
    supervisor(&rig, 2, QV_OP_RUN); /* pending: what was done says nothing of it */
    CHECK(qv_batch_at(control, record(&rig), rig.input, RIG_IN_BYTES, &entry, &count) == 1 && entry.task[0] == 0);
    memset(rig.input, 0xFF, 16); /* the next task is coming in */
    CHECK(qv_batch_at(control, record(&rig), rig.input, RIG_IN_BYTES, &entry, &count) == 0);
    CHECK(qv_handler_packet(h, 0, bytes) == 0 && qv_packet_decode(bytes, sizeof bytes, &packet) == 0);
    CHECK(memcmp(packet.name, "task-0", 6) == 0); /* the slot's own */
    rig_close(&rig);
}

static void the_runner_sees_the_task_under_way(void) {
    struct rig rig;
    struct qv_task task;
    struct qv_batch_entry entry;
    struct qv_handler *h = rig_running(&rig, 2, SECOND, &task);
    struct shared *shared = calloc(1, sizeof *shared);
    struct runner runner = runner_of(&rig, shared);
    runner.in_dir_fd = open(rig.root, O_RDONLY | O_DIRECTORY);
    CHECK(runner_batch_task(&runner, &entry) && entry.task[0] == 0);
    CHECK(runner_deadline(&runner, true) == qv_task_deadline(h));
    CHECK(next(h, &task) && runner_batch_task(&runner, &entry) && entry.task[0] == 1);
    CHECK(runner_deadline(&runner, true) == outcome(&rig, 0)->ended + SECOND);
    CHECK(runner_deadline(&runner, false) == rig.control->slot[0].deadline);
    CHECK(passes(h, "") == 0 && runner_batch_task(&runner, &entry) && entry.task[0] == 1);
    rig.control->slot[0].flags = 0;
    CHECK(!runner_batch_task(&runner, &entry) && runner_deadline(&runner, true) == rig.control->slot[0].deadline);
    close(runner.in_dir_fd);
    free(shared);
    rig_close(&rig);
}

static int cleans(struct runner *runner, void *state, struct qv_error *error) {
    (void)runner, (void)state, (void)error;
    return 0;
}

/* Its handler died before it could store U: with every outcome there, nothing is to be done again. */
static void the_runner_completes_what_has_all_its_outcomes(void) {
    struct rig rig;
    struct qv_task task;
    for (uint32_t given = 1; given <= 2; given++) {
        struct qv_handler *h = rig_running(&rig, 2, 0, &task);
        struct shared *shared = calloc(1, sizeof *shared);
        struct runner runner = runner_of(&rig, shared);
        struct executor executes = {.clean = cleans};
        CHECK(next(h, &task));
        runner.in_dir_fd = open(rig.root, O_RDONLY | O_DIRECTORY);
        atomic_store(&record(&rig)->done, given);
        qv_exec_message(record(&rig), QV_HANDLER_DIED, "gone", 4);
        pid_t serves = fork();
        if (serves == 0) {
            runner_serve(&runner, &executes);
        }
        for (int i = 0; i < 10000 && qv_code(executor(&rig)) == QV_RUNNING; i++) {
            usleep(100);
        }
        CHECK(executor(&rig) == qv_word(1, given == 2 ? QV_COMPLETE : QV_RETRY));
        CHECK(record(&rig)->reason == (given == 2 ? QV_REASON_NONE : QV_HANDLER_DIED) && done(&rig) == given);
        kill(serves, SIGKILL);
        CHECK(waitpid(serves, NULL, 0) == serves);
        close(runner.in_dir_fd);
        free(shared);
        rig_close(&rig);
    }
}

/* A runner whose handler has greeted as `version`. */
static struct keeper *greeted(struct rig *rig, struct runner *runner, int *theirs, pid_t *handler, uint64_t version) {
    int pair[2];
    struct keeper *k = keeper_make(runner, NULL);
    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair) == 0);
    *handler = fork();
    while (*handler == 0) {
        pause();
    }
    k->process.pid = *handler;
    k->turn_fd = pair[0];
    *theirs = pair[1];
    (void)rig;
    CHECK(turn_send(pair[1], QV_TURN_HELLO, version, "table.sum", 9) == 0);
    return k;
}

static void the_runner_refuses_a_batch_for_a_handler_that_takes_none(void) {
    static const uint64_t versions[] = {QV_MAJOR, QV_MAJOR | 2 << 16};
    for (unsigned takes = 0; takes < 2; takes++) {
        struct rig rig;
        int theirs;
        pid_t handler;
        rig_open(&rig);
        struct shared *shared = calloc(1, sizeof *shared);
        struct runner runner = runner_of(&rig, shared);
        atomic_store(&rig.region.exec->minor[0], 7); /* an earlier runner's */
        struct keeper *k = greeted(&rig, &runner, &theirs, &handler, versions[takes]);
        CHECK(atomic_load(&rig.region.exec->minor[0]) == 0);
        fill(&rig, 2, 0);
        supervisor(&rig, 1, QV_OP_RUN);
        CHECK(keeper_refuses(k, 1) == QV_REASON_NONE); /* nothing is known of it yet */
        if (takes == 0) {
            keeper_wait(k, qv_word(1, QV_OP_RUN)); /* greets, and is not given the turn */
            CHECK(k->greeted && atomic_load(&rig.region.exec->minor[0]) == 0);
            struct qv_error error;
            struct turn_message said;
            CHECK(turn_receive(theirs, &said, false, &error) == 0);
            CHECK(keeper_refuses(k, 1) == QV_BAD_RECORD && record(&rig)->reason == QV_BAD_RECORD);
            rig.control->slot[0].flags = 0;
            CHECK(keeper_refuses(k, 1) == QV_REASON_NONE);
        } else {
            keeper_pump(k);
            CHECK(k->greeted && atomic_load(&rig.region.exec->minor[0]) == 2 && keeper_refuses(k, 1) == QV_REASON_NONE);
        }
        kill(handler, SIGKILL);
        CHECK(waitpid(handler, NULL, 0) == handler);
        close(theirs);
        close(k->turn_fd);
        keeper_free(k);
        free(shared);
        rig_close(&rig);
    }
}

void test_batches(void) {
    gives_one_task_after_the_other();
    a_failure_ends_the_dispatch_at_its_task();
    a_cancel_ends_it_before_the_task_under_way();
    nothing_is_begun_once_it_is_called_off();
    an_output_that_others_leave_no_room_for_goes_back();
    an_output_written_anew_leaves_those_before();
    a_process_that_is_not_clean_leaves_in_the_middle();
    a_record_that_cannot_be_read_ends_it_there();
    a_table_that_is_none_is_refused();
    a_handler_that_did_not_ask_for_batches_gets_none();
    hello_has_a_minor_version_where_it_is_understood();
    one_call_takes_all_that_are_left();
    tasks_of_one_call_fail_by_themselves();
    a_call_of_all_fails_for_all_that_have_no_outcome();
    results_of_one_call_that_do_not_fit_go_back();
    tasks_for_two_functions_are_no_call_of_one();
    one_task_can_be_taken_as_a_whole();
    each_task_has_its_own_time();
    a_task_past_its_time_is_the_one_to_blame();
    whoever_looks_sees_the_task_under_way();
    the_runner_sees_the_task_under_way();
    the_runner_completes_what_has_all_its_outcomes();
    the_runner_refuses_a_batch_for_a_handler_that_takes_none();
    unsetenv("QUIVER_MINOR");
}
