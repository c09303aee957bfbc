/* libquiver against a supervisor and a runner that the test plays itself, and what handlers add to the records. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "link.h"
#include "rig.h"

static void snapshot_is_the_golden_one(void) {
    uint8_t wanted[256], bytes[256];
    struct qv_control_slot control;
    struct qv_exec_slot exec;
    struct qv_packet packet, again;
    CHECK(golden("handler-control-slot.hex", (uint8_t *)&control, sizeof control) == 256);
    CHECK(golden("handler-exec-slot.hex", (uint8_t *)&exec, sizeof exec) == 256);
    CHECK(golden("handler-packet.hex", wanted, sizeof wanted) == 256);
    CHECK(qv_packet_of(&control, &exec, 0, &packet) == 0);
    qv_packet_encode(&packet, bytes);
    CHECK(memcmp(bytes, wanted, sizeof bytes) == 0);
    CHECK(control.kind == QV_KIND_HANDLER && control.format == QV_JSON && exec.reason == QV_EXCEPTION);
    CHECK(exec.progress == 3 && exec.total == 10 && exec.retry_after_ms == 1500 && exec.stderr_bytes == 120);
    CHECK(qv_packet_decode(bytes, sizeof bytes, &again) == 0 && memcmp(&again, &packet, sizeof again) == 0);
    CHECK(qv_packet_decode(bytes, 255, &again) < 0);
    bytes[64] = 9;
    CHECK(qv_packet_decode(bytes, sizeof bytes, &again) < 0);
    CHECK(golden("handler-exec-slot-passed.hex", (uint8_t *)&exec, sizeof exec) == 256);
    CHECK(exec.format == (QV_ARROW | QV_OUTPUT_LOCATOR) && exec.out_length == 23);
}

/* A record whose writer died, or lies: no task ran for 584 years. */
static void snapshot_has_no_time_before_the_start(void) {
    struct qv_control_slot control = {.word = qv_word(3, QV_OP_CANCEL)};
    struct qv_exec_slot exec = {.word = qv_word(3, QV_READY), .started = 1000};
    struct qv_packet packet;
    CHECK(qv_packet_of(&control, &exec, 5000, &packet) == 0 && packet.elapsed_ns == 0);
    exec.ended = 999;
    CHECK(qv_packet_of(&control, &exec, 5000, &packet) == 0 && packet.elapsed_ns == 0);
    exec.ended = 1500;
    CHECK(qv_packet_of(&control, &exec, 5000, &packet) == 0 && packet.elapsed_ns == 500);
    atomic_store(&exec.word, qv_word(3, QV_RUNNING));
    CHECK(qv_packet_of(&control, &exec, 900, &packet) == 0 && packet.elapsed_ns == 0);
}

static void names_are_the_golden_ones(void) {
    struct qv_exec *exec = calloc(1, sizeof *exec);
    struct qv_error error;
    uint8_t frame[64];
    CHECK(golden("handlers-area.hex", (uint8_t *)&exec->handlers_sequence, QV_HANDLERS_BYTES) > 16);
    CHECK(exec->handlers_sequence == 6);
    CHECK(qv_names_check(exec->handlers, exec->handlers_length, &error) == 3);
    CHECK(memcmp(exec->handlers, "table.sum\nr\xc3\xa9sum\xc3\xa9\necho", exec->handlers_length) == 0);
    CHECK(golden("handlers-frame.hex", frame, sizeof frame) == 64);
    struct qv_frame *sent = (struct qv_frame *)frame;
    CHECK(sent->magic == QV_FRAME_MAGIC && sent->type == QV_FRAME_HANDLERS && sent->epoch == 77);
    free(exec);
}

static bool names(const char *text, size_t length) {
    struct qv_error error;
    char *exact = malloc(length == 0 ? 1 : length); /* ASan sees a byte too many */
    memcpy(exact, text, length);
    bool good = qv_names_check(exact, length, &error) > 0;
    free(exact);
    return good;
}

static void refuses_names_that_are_none(void) {
    char many[QV_HANDLERS_BYTES + 1];
    memset(many, 'x', sizeof many);
    CHECK(names("a", 1) && names("a\nb", 3) && names(many, QV_NAME_BYTES) && names("\xf0\x9f\x8f\xb9", 4));
    CHECK(!names("", 0) && !names("\n", 1) && !names("a\n", 2) && !names("a\n\nb", 4));
    CHECK(!names(many, QV_NAME_BYTES + 1) && !names(many, sizeof many));
    CHECK(!names("a\tb", 3) && !names("a\x7f", 2) && !names("\xc2\x85", 2));
    CHECK(!names("\xc3", 1) && !names("\xc0\x80", 2) && !names("\xed\xa0\x80", 3) && !names("\xf4\x90\x80\x80", 4));
    for (size_t i = 1; i < sizeof many; i += 2) {
        many[i] = '\n';
    }
    CHECK(names(many, 127) && !names(many, 129)); /* 64 and 65 names */
}

static void refuses_turn_messages_that_are_none(void) {
    struct turn_message message = {.head = {.type = QV_TURN_HELLO, .text_length = 3, .generation = 1}};
    struct qv_error error;
    CHECK(qv_turn_check(&message, 19, &error) == 0);
    CHECK(qv_turn_check(&message, 18, &error) < 0 && qv_turn_check(&message, 20, &error) < 0);
    CHECK(qv_turn_check(&message, 15, &error) < 0);
    message.head.text_length = QV_TURN_BYTES;
    CHECK(qv_turn_check(&message, QV_TURN_BYTES + 16, &error) < 0);
    message.head = (struct qv_turn){.type = QV_TURN_RELEASED + 1};
    CHECK(qv_turn_check(&message, 16, &error) < 0);
}

static void serves_a_task_from_taken_to_ready(void) {
    struct rig rig;
    struct qv_task task = {.bytes = sizeof task};
    char output[8] = "", path[128];
    rig_open(&rig);
    struct qv_handler *h = rig.handler;
    CHECK(qv_handler_take(h, &task, 0) < 0); /* nothing announced */
    CHECK(qv_handler_announce(h, "a\n") < 0 && qv_handler_announce(h, "table.sum") == 0);
    CHECK(qv_handler_announce(h, "again") < 0);
    CHECK(heard(&rig) == QV_TURN_HELLO);
    dispatch_golden(&rig, 1);
    CHECK(qv_handler_take(h, &task, 1) == QV_NOTHING); /* not its turn */
    CHECK(turn_send(rig.turn_fd, QV_TURN_GO, 0, NULL, 0) == 0);
    CHECK(qv_handler_take(h, &task, 1000) == QV_TAKEN);
    CHECK(executor(&rig) == qv_word(1, QV_RUNNING));
    CHECK(strcmp(task.handler, "table.sum") == 0 && strcmp(task.name, "name") == 0 && task.generation == 1);
    CHECK(task.trial == 1 && task.allowed == 2 && task.format == QV_JSON && task.locator == 0);
    CHECK(task.input_length == 7 && memcmp(task.input, "{\"a\":1}", 7) == 0);
    CHECK(task.environment_count == 2 && memcmp(task.environment, "QUIVER_INDEX=9\0QUIVER_TASK=9", 29) == 0);
    CHECK(qv_task_settle(h) < 0 && qv_handler_take(h, &task, 0) < 0);
    CHECK(qv_task_write(h, "result", 6) == 0);
    CHECK(qv_task_write(h, output, 59) < 0 && strstr(qv_handler_words(h), "65 bytes were written, the slot takes 64"));
    qv_task_format(h, QV_ARGUMENTS, 0);
    CHECK(qv_task_complete(h) < 0 && strstr(qv_handler_words(h), "format 3 is not known"));
    qv_task_format(h, QV_EFFECTS + 1, 0);
    CHECK(qv_task_complete(h) < 0 && strstr(qv_handler_words(h), "format 5 is not known"));
    qv_task_format(h, QV_EFFECTS, 1);
    CHECK(qv_task_complete(h) < 0 && strstr(qv_handler_words(h), "effects are no locator"));
    qv_task_format(h, QV_ARROW, 1);
    qv_task_progress(h, 3, 4);
    CHECK(qv_task_complete(h) == 0);
    CHECK(executor(&rig) == qv_word(1, QV_COMPLETE));
    const struct qv_exec_slot *exec = &rig.region.exec->slot[0];
    CHECK(exec->out_length == 6 && exec->format == (QV_ARROW | QV_OUTPUT_LOCATOR) && exec->exit == 0);
    CHECK(exec->progress == 3 && exec->total == 4 && exec->ended >= exec->started && exec->max_rss > 0);
    supervisor(&rig, 1, QV_OP_ACKNOWLEDGE);
    CHECK(qv_task_settle(h) == 0 && executor(&rig) == qv_word(1, QV_CLEANING));
    CHECK(qv_task_ready(h) == 0 && executor(&rig) == qv_word(1, QV_READY));
    snprintf(path, sizeof path, "%s/task-0.out", rig.root);
    int fd = open(path, O_RDONLY);
    CHECK(read(fd, output, 6) == 6 && memcmp(output, "result", 6) == 0);
    close(fd);
    rig_close(&rig);
}

static void a_task_passes_with_effects(void) {
    struct rig rig;
    struct qv_task task = {.bytes = sizeof task};
    rig_open(&rig);
    struct qv_handler *h = rig.handler;
    CHECK(qv_handler_announce(h, "table.sum\ntable.sum#plan") == 0);
    CHECK(turn_send(rig.turn_fd, QV_TURN_GO, 0, NULL, 0) == 0);
    dispatch_golden(&rig, 1);
    CHECK(qv_handler_take(h, &task, 1000) == QV_TAKEN && qv_task_write(h, "{}", 2) == 0);
    qv_task_format(h, QV_EFFECTS, 0);
    CHECK(qv_task_complete(h) == 0 && executor(&rig) == qv_word(1, QV_COMPLETE));
    const struct qv_exec_slot *exec = &rig.region.exec->slot[0];
    CHECK(exec->out_length == 2 && exec->format == QV_EFFECTS);
    rig_close(&rig);
}

static void reports_failures_and_reasons_to_stop(void) {
    struct rig rig;
    struct qv_task task = {.bytes = offsetof(struct qv_task, input)}; /* an older caller's struct */
    struct qv_error error;
    rig_open(&rig);
    struct qv_handler *h = rig.handler;
    CHECK(qv_handler_announce(h, "table.sum") == 0 && turn_send(rig.turn_fd, QV_TURN_GO, 0, NULL, 0) == 0);
    dispatch_golden(&rig, 1);
    task.input = (const uint8_t *)"untouched";
    CHECK(qv_handler_take(h, &task, 1000) == QV_TAKEN && strcmp((const char *)task.input, "untouched") == 0);
    CHECK(qv_task_cancelled(h) == 0);
    CHECK(qv_task_fail(h, QV_CANCELLED, "", NULL, 0) < 0 && qv_task_fail(h, QV_DRAINED, "", NULL, 0) < 0);
    rig.control->slot[0].deadline = 1;
    CHECK(qv_task_cancelled(h) == QV_TIMED_OUT);
    rig.control->slot[0].deadline = 0;
    CHECK(turn_send(rig.turn_fd, QV_TURN_CANCEL, 1, NULL, 0) == 0);
    CHECK(qv_task_cancelled(h) == QV_DRAINED);
    CHECK(qv_task_fail(h, 0, "", NULL, 0) < 0 && qv_task_fail(h, 23, "", NULL, 0) < 0);
    char *traceback = malloc(QV_TAIL_BYTES + 11);
    memset(traceback, 'x', QV_TAIL_BYTES + 10);
    strcpy(traceback + QV_TAIL_BYTES + 7, "end");
    char message[200];
    memset(message, 'm', sizeof message);
    message[127] = '\xc3';
    message[128] = '\xbc';
    message[199] = 0;
    CHECK(qv_task_fail(h, QV_EXCEPTION, message, traceback, 1500) == 0);
    const struct qv_exec_slot *exec = &rig.region.exec->slot[0];
    CHECK(executor(&rig) == qv_word(1, QV_RETRY) && exec->reason == QV_EXCEPTION && exec->retry_after_ms == 1500);
    CHECK(exec->message_length == 127 && exec->stderr_bytes == QV_TAIL_BYTES);
    CHECK(qv_task_cancelled(h) == 0);
    supervisor(&rig, 1, QV_OP_CANCEL);
    CHECK(qv_task_release(h) == 0 && executor(&rig) == qv_word(1, QV_READY));
    free(traceback);
    dispatch_golden(&rig, 2);
    CHECK(qv_handler_take(h, &task, 1000) == QV_TAKEN);
    supervisor(&rig, 2, QV_OP_CANCEL);
    CHECK(qv_task_cancelled(h) == QV_CANCELLED && qv_task_fail(h, QV_CANCELLED, NULL, NULL, 0) == 0);
    CHECK(qv_task_settle(h) == 0 && qv_task_replace(h) == 0 && executor(&rig) == qv_word(2, QV_CLEANING));
    struct turn_message said;
    CHECK(heard(&rig) == QV_TURN_HELLO && turn_receive(rig.turn_fd, &said, false, &error) == 1);
    CHECK(said.head.type == QV_TURN_REPLACE && said.head.generation == 2);
    CHECK(qv_handler_take(h, &task, 1000) == QV_STOP);
    rig_close(&rig);
}

/* A pass, and what S says at once: the next run over it, or that run called off. */
static void pass_and_follow(struct rig *rig, struct qv_task *task, uint64_t generation, bool lets_go) {
    struct qv_handler *h = rig->handler;
    CHECK(qv_handler_take(h, task, 1000) == QV_TAKEN && task->generation == generation);
    CHECK(executor(rig) == qv_word(generation, QV_RUNNING));
    if (lets_go) {
        qv_task_let_go(h);
    }
    CHECK(qv_task_write(h, "result", 6) == 0 && qv_task_complete(h) == 0);
    CHECK(executor(rig) == qv_word(generation, QV_COMPLETE));
}

static uint32_t done(const struct rig *rig) { return atomic_load(&rig->region.exec->slot[0].done); }

static void a_task_follows_a_pass_without_a_word_between(void) {
    struct rig rig;
    struct qv_task task = {.bytes = sizeof task};
    rig_open(&rig);
    rig.control->prologue.minor = QV_MINOR;
    struct qv_handler *h = rig.handler;
    CHECK(qv_handler_announce(h, "table.sum") == 0 && heard(&rig) == QV_TURN_HELLO);
    CHECK(turn_send(rig.turn_fd, QV_TURN_GO, 0, NULL, 0) == 0);
    dispatch_golden(&rig, 1);
    pass_and_follow(&rig, &task, 1, true);
    CHECK(done(&rig) == QV_DONE_NEXT);
    dispatch_golden(&rig, 2);
    uint32_t rung = atomic_load(&rig.region.exec->doorbell);
    CHECK(qv_task_release(h) == 0 && executor(&rig) == qv_word(1, QV_COMPLETE));
    CHECK(atomic_load(&rig.region.exec->doorbell) == rung); /* nobody waits for the slot */
    pass_and_follow(&rig, &task, 2, false); /* it is asked anew for each task */
    CHECK(done(&rig) == 0);
    supervisor(&rig, 2, QV_OP_ACKNOWLEDGE);
    CHECK(qv_task_release(h) == 0 && executor(&rig) == qv_word(2, QV_READY));
    dispatch_golden(&rig, 3);
    pass_and_follow(&rig, &task, 3, true);
    supervisor(&rig, 4, QV_OP_CANCEL); /* dispatched and called off before the handler looked: the runner's */
    CHECK(qv_task_release(h) == 0 && executor(&rig) == qv_word(3, QV_COMPLETE));
    CHECK(qv_handler_take(h, &task, 10) == QV_NOTHING && heard(&rig) == QV_TURN_COMMAND);
    rig_close(&rig);
}

static void only_a_pass_that_is_let_go_of_has_a_successor(void) {
    struct rig rig;
    struct qv_task task = {.bytes = sizeof task};
    rig_open(&rig);
    struct qv_handler *h = rig.handler;
    CHECK(qv_handler_announce(h, "table.sum") == 0 && turn_send(rig.turn_fd, QV_TURN_GO, 0, NULL, 0) == 0);
    dispatch_golden(&rig, 1); /* by a supervisor that does not know of it */
    pass_and_follow(&rig, &task, 1, true);
    CHECK(done(&rig) == 0);
    supervisor(&rig, 1, QV_OP_ACKNOWLEDGE);
    CHECK(qv_task_release(h) == 0);
    rig.control->prologue.minor = QV_MINOR;
    dispatch_golden(&rig, 2);
    CHECK(qv_handler_take(h, &task, 1000) == QV_TAKEN);
    qv_task_let_go(h);
    CHECK(qv_task_fail(h, QV_EXCEPTION, "no", NULL, 0) == 0 && done(&rig) == 0);
    rig_close(&rig);
}

static void gives_the_turn_back_for_what_is_not_its_own(void) {
    struct rig rig;
    struct qv_task task = {.bytes = sizeof task};
    rig_open(&rig);
    struct qv_handler *h = rig.handler;
    CHECK(qv_handler_announce(h, "table.sum") == 0 && heard(&rig) == QV_TURN_HELLO);
    dispatch_golden(&rig, 1);
    rig.control->slot[0].kind = QV_KIND_COMMAND;
    CHECK(turn_send(rig.turn_fd, QV_TURN_GO, 0, NULL, 0) == 0);
    CHECK(qv_handler_take(h, &task, 10) == QV_NOTHING && heard(&rig) == QV_TURN_COMMAND);
    CHECK(executor(&rig) == qv_word(0, QV_READY));
    rig.control->slot[0].kind = QV_KIND_HANDLER;
    supervisor(&rig, 1, QV_OP_CANCEL); /* called off while pending: the runner's, too */
    CHECK(turn_send(rig.turn_fd, QV_TURN_GO, 0, NULL, 0) == 0);
    CHECK(qv_handler_take(h, &task, 10) == QV_NOTHING && heard(&rig) == QV_TURN_COMMAND);
    CHECK(turn_send(rig.turn_fd, QV_TURN_STOP, 0, NULL, 0) == 0);
    CHECK(qv_handler_take(h, &task, -1) == QV_STOP);
    rig_close(&rig);
}

static void says_that_this_is_no_handler(void) {
    char words[64];
    unsetenv("QUIVER_TURN_FD");
    CHECK(qv_handler_open(words, sizeof words) == NULL && strstr(words, "QUIVER_TURN_FD is not set") != NULL);
    setenv("QUIVER_SLOT", "64", 1);
    CHECK(qv_handler_open(words, sizeof words) == NULL && strstr(words, "QUIVER_SLOT is 64") != NULL);
    qv_handler_close(NULL);
}

static void refuses_a_supervisor_of_another_major_version(void) {
    struct qv_frame frame = {.magic = QV_FRAME_MAGIC, .major = QV_MAJOR, .type = QV_FRAME_HELLO};
    struct qv_error error;
    int pair[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
    struct link link = {.fd = pair[0]};
    CHECK(write(pair[1], &frame, sizeof frame) == sizeof frame && link_receive(&link, &error) == 1);
    frame.major = QV_MAJOR + 1;
    CHECK(write(pair[1], &frame, sizeof frame) == sizeof frame && link_receive(&link, &error) < 0);
    CHECK(strstr(error.text, "version 2") != NULL && strstr(error.text, "one release") != NULL);
    link_close(&link);
    close(pair[1]);
}

static void ends_a_handler_whose_library_has_another_major_version(void) {
    struct rig rig;
    int pair[2], status;
    rig_open(&rig);
    struct shared *shared = calloc(1, sizeof *shared);
    struct runner runner = runner_of(&rig, shared);
    struct keeper *k = keeper_make(&runner, NULL);
    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair) == 0);
    pid_t handler = fork();
    while (handler == 0) {
        pause();
    }
    k->process.pid = handler;
    k->turn_fd = pair[0];
    CHECK(turn_send(pair[1], QV_TURN_HELLO, QV_MAJOR + 1, "table.sum", 9) == 0);
    keeper_pump(k);
    CHECK(!k->greeted && shared->announced[0].length == 0 && strstr(k->words.text, "version 2") != NULL);
    CHECK(waitpid(handler, &status, 0) == handler && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    close(pair[0]);
    close(pair[1]);
    keeper_free(k);
    free(shared);
    rig_close(&rig);
}

/* It was of use, and then its program is gone. */
static void withdraws_the_names_of_a_handler_that_cannot_be_started_again(void) {
    struct rig rig;
    char *command[] = {"/quiver/no-such-handler", NULL};
    rig_open(&rig);
    struct shared *shared = calloc(1, sizeof *shared);
    struct runner runner = runner_of(&rig, shared);
    struct keeper *k = keeper_make(&runner, command);
    runner_announce(&runner, "table.sum", 9);
    k->greeted = k->served = true;
    k->process = (struct spared){.pid = 1, .ended = true};
    for (int i = 0; i < 10 && k->failures < 2; i++) { /* its end, and the next one; valgrind forks for a vfork */
        keeper_wait(k, 0);
    }
    CHECK(k->failures == 2 && shared->announced[0].length == 0);
    keeper_free(k);
    free(shared);
    rig_close(&rig);
}

enum { KEPT_KIB_AT = 28 }; /* in the command record */

static void dispatch_kept(struct rig *rig, uint64_t generation, uint32_t kib) {
    uint64_t record = qv_command_offset(7);
    dispatch_golden(rig, generation);
    memcpy(rig->input + record + KEPT_KIB_AT, &kib, sizeof kib);
}

static void answer(struct rig *rig) { CHECK(turn_send(rig->turn_fd, QV_TURN_READ, 0, NULL, 0) == 0); }

static void a_task_whose_streams_are_kept_is_told_to_the_runner(void) {
    struct rig rig;
    struct qv_task task = {.bytes = sizeof task};
    struct qv_error error;
    struct turn_message said;
    uint64_t limit;
    setenv("QUIVER_MINOR", "4", 1);
    rig_open(&rig);
    struct qv_handler *h = rig.handler;
    CHECK(qv_handler_announce(h, "table.sum") == 0 && heard(&rig) == QV_TURN_HELLO);
    CHECK(turn_send(rig.turn_fd, QV_TURN_GO, 0, NULL, 0) == 0);
    dispatch_kept(&rig, 1, 64);
    answer(&rig);
    CHECK(qv_handler_take(h, &task, 1000) == QV_TAKEN && task.kept_bytes == 65536);
    CHECK(turn_receive(rig.turn_fd, &said, false, &error) == 1);
    memcpy(&limit, said.text, sizeof limit);
    CHECK(said.head.type == QV_TURN_PRINTS && said.head.generation == 1 && limit == 65536);
    CHECK(executor(&rig) == qv_word(1, QV_RUNNING) && heard(&rig) == 0);
    CHECK(turn_send(rig.turn_fd, QV_TURN_STOP, 0, NULL, 0) == 0); /* the worker is to end, and the task still counts */
    answer(&rig);
    CHECK(qv_task_complete(h) == 0 && executor(&rig) == qv_word(1, QV_COMPLETE));
    CHECK(turn_receive(rig.turn_fd, &said, false, &error) == 1);
    CHECK(said.head.type == QV_TURN_PRINTED && said.head.generation == 1 && heard(&rig) == 0);
    supervisor(&rig, 1, QV_OP_ACKNOWLEDGE);
    CHECK(qv_task_release(h) == 0 && heard(&rig) == QV_TURN_RELEASED && heard(&rig) == 0);
    rig_close(&rig);
    unsetenv("QUIVER_MINOR");
}

static void nothing_is_told_of_other_tasks_or_to_an_earlier_agent(void) {
    for (unsigned minor = 3; minor <= 4; minor++) {
        struct rig rig;
        struct qv_task task = {.bytes = sizeof task};
        setenv("QUIVER_MINOR", minor == 3 ? "3" : "4", 1);
        rig_open(&rig);
        struct qv_handler *h = rig.handler;
        CHECK(qv_handler_announce(h, "table.sum") == 0 && heard(&rig) == QV_TURN_HELLO);
        CHECK(turn_send(rig.turn_fd, QV_TURN_GO, 0, NULL, 0) == 0);
        dispatch_kept(&rig, 1, minor == 3 ? 64 : 0);
        CHECK(qv_handler_take(h, &task, 1000) == QV_TAKEN && task.kept_bytes == 0);
        CHECK(qv_task_complete(h) == 0);
        supervisor(&rig, 1, QV_OP_ACKNOWLEDGE);
        CHECK(qv_task_release(h) == 0 && heard(&rig) == 0);
        rig_close(&rig);
    }
    unsetenv("QUIVER_MINOR");
}

static void a_runner_that_has_gone_keeps_nobody_waiting(void) {
    struct rig rig;
    struct qv_task task = {.bytes = sizeof task};
    setenv("QUIVER_MINOR", "4", 1);
    rig_open(&rig);
    CHECK(qv_handler_announce(rig.handler, "table.sum") == 0 && turn_send(rig.turn_fd, QV_TURN_GO, 0, NULL, 0) == 0);
    dispatch_kept(&rig, 1, 64);
    answer(&rig);
    CHECK(qv_handler_take(rig.handler, &task, 1000) == QV_TAKEN);
    CHECK(shutdown(rig.turn_fd, SHUT_RDWR) == 0);
    CHECK(qv_task_complete(rig.handler) == 0 && executor(&rig) == qv_word(1, QV_COMPLETE));
    rig_close(&rig);
    unsetenv("QUIVER_MINOR");
}

static size_t content(const char *folder, const char *name, char *to, size_t room) {
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_RDONLY);
    ssize_t n = fd < 0 ? 0 : read(fd, to, room);
    if (fd >= 0) {
        close(fd);
    }
    return n < 0 ? 0 : (size_t)n;
}

/* What the process prints before, within and behind a task, and the traceback that the library has put into the tail. */
static void what_is_printed_between_two_messages_is_the_tasks(void) {
    struct rig rig;
    char folder[] = "/tmp/quiver-whole-XXXXXX", back[128], limit_text[8];
    int turn[2], out[2], err[2];
    uint64_t limit = 65536;
    rig_open(&rig);
    struct shared *shared = calloc(1, sizeof *shared);
    struct runner runner = runner_of(&rig, shared);
    CHECK(mkdtemp(folder) != NULL);
    runner.whole_dir_fd = open(folder, O_RDONLY | O_DIRECTORY);
    runner.out_dir_fd = open(rig.root, O_RDONLY | O_DIRECTORY);
    struct keeper *k = keeper_make(&runner, NULL);
    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, turn) == 0);
    CHECK(pipe2(out, O_NONBLOCK) == 0 && pipe2(err, O_NONBLOCK) == 0);
    k->turn_fd = turn[0];
    k->streams[0].from = out[0];
    k->streams[1].from = err[0];
    memcpy(limit_text, &limit, sizeof limit);

    CHECK(write(out[1], "before\n", 7) == 7);
    k->message.head = (struct qv_turn){.type = QV_TURN_PRINTS, .text_length = 8, .generation = 1};
    memcpy(k->message.text, limit_text, sizeof limit_text);
    CHECK(keeper_heard_of_streams(k));
    qv_store(&rig.region, 0, qv_word(1, QV_RUNNING));
    CHECK(write(out[1], "mine\n", 5) == 5 && write(err[1], "warned\n", 7) == 7);
    keeper_read_streams(k);
    CHECK(write(out[1], "too", 3) == 3);
    CHECK(pwrite(open(strcat(strcpy(back, rig.root), "/task-0.stderr"), O_WRONLY), "Traceback\n", 10, 0) == 10);
    rig.region.exec->slot[0].stderr_bytes = 10;
    k->message.head = (struct qv_turn){.type = QV_TURN_PRINTED, .generation = 1};
    CHECK(keeper_heard_of_streams(k));
    CHECK(write(out[1], "behind\n", 7) == 7);
    keeper_read_streams(k);
    CHECK(content(folder, "task-0.stdout", back, sizeof back) == 8 && memcmp(back, "mine\ntoo", 8) == 0);
    CHECK(content(folder, "task-0.stderr", back, sizeof back) == 17 && memcmp(back, "warned\nTraceback\n", 17) == 0);
    CHECK(rig.region.exec->slot[0].stdout_bytes == 8 && rig.region.exec->slot[0].stderr_bytes == 17);
    CHECK(content(rig.root, "task-0.stderr", back, 17) == 17 && memcmp(back, "warned\nTraceback\n", 17) == 0);
    struct turn_message said;
    struct qv_error error;
    for (int i = 0; i < 2; i++) {
        CHECK(turn_receive(turn[1], &said, false, &error) == 1 && said.head.type == QV_TURN_READ);
    }
    k->message.head = (struct qv_turn){.type = QV_TURN_RELEASED};
    CHECK(keeper_heard_of_streams(k) && turn_receive(turn[1], &said, false, &error) == 0);
    k->message.head = (struct qv_turn){.type = QV_TURN_REPLACE};
    CHECK(!keeper_heard_of_streams(k));
    CHECK(rmdir(folder) == 0); /* nothing is left */
    int fds[] = {turn[0], turn[1], out[0], out[1], err[0], err[1], runner.whole_dir_fd, runner.out_dir_fd};
    for (unsigned i = 0; i < sizeof fds / sizeof *fds; i++) {
        close(fds[i]);
    }
    keeper_free(k);
    free(shared);
    rig_close(&rig);
}

void test_handlers(void) {
    snapshot_is_the_golden_one();
    snapshot_has_no_time_before_the_start();
    names_are_the_golden_ones();
    refuses_names_that_are_none();
    refuses_turn_messages_that_are_none();
    serves_a_task_from_taken_to_ready();
    a_task_passes_with_effects();
    reports_failures_and_reasons_to_stop();
    a_task_follows_a_pass_without_a_word_between();
    only_a_pass_that_is_let_go_of_has_a_successor();
    gives_the_turn_back_for_what_is_not_its_own();
    refuses_a_supervisor_of_another_major_version();
    ends_a_handler_whose_library_has_another_major_version();
    withdraws_the_names_of_a_handler_that_cannot_be_started_again();
    a_task_whose_streams_are_kept_is_told_to_the_runner();
    nothing_is_told_of_other_tasks_or_to_an_earlier_agent();
    a_runner_that_has_gone_keeps_nobody_waiting();
    what_is_printed_between_two_messages_is_the_tasks();
    says_that_this_is_no_handler();
}
