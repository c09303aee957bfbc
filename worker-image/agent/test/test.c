/*
 * Unit tests of what does not need processes: layout against the golden bytes, the duty table against the state table,
 * the command record's reader, tail ring, line forwarding, environment. `test FOLDER` with the folder of golden files.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "environment.h"
#include "forward.h"
#include "quiver/slots.h"
#include "slotlog.h"
#include "tail.h"
#include "whole.h"

unsigned failures, checks;
static const char *golden_dir;

size_t golden(const char *name, uint8_t *to, size_t room) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", golden_dir, name);
    FILE *file = fopen(path, "r");
    size_t count = 0;
    unsigned byte;
    while (file != NULL && count < room && fscanf(file, "%2x", &byte) == 1) {
        to[count++] = (uint8_t)byte;
    }
    if (file != NULL) {
        fclose(file);
    }
    return count;
}

static void packet_is_the_golden_one(void) {
    uint8_t control[256], exec[256], wanted[256];
    CHECK(golden("control-slot.hex", control, sizeof control) == 256);
    CHECK(golden("exec-slot.hex", exec, sizeof exec) == 256);
    CHECK(golden("packet.hex", wanted, sizeof wanted) == 256);
    struct qv_control_slot ours;
    struct qv_exec_slot theirs;
    struct qv_packet packet;
    memcpy(&ours, control, sizeof ours);
    memcpy(&theirs, exec, sizeof theirs);
    CHECK(qv_packet_of(&ours, &theirs, 0, &packet) == 0);
    CHECK(memcmp(&packet, wanted, sizeof packet) == 0);
    CHECK(packet.state == QV_STATE_RETRY && packet.generation == 7 && packet.trial == 2 && packet.allowed == 3);
    CHECK(packet.elapsed_ns == 1500000000 && packet.reason == QV_NON_ZERO_EXIT && packet.exit == 42);
    CHECK(packet.name_length == 9 && memcmp(packet.name, "a/gr\xc3\xbcn.t", 9) == 0);
}

static void command_is_the_golden_one(void) {
    uint8_t record[512];
    size_t bytes = golden("command.hex", record, sizeof record);
    struct qv_command command;
    struct qv_error error;
    CHECK(bytes > sizeof(struct qv_command_header));
    CHECK(qv_command_parse(record, bytes, &command, &error) == 0);
    CHECK(command.argc == 3 && command.envc == 2 && command.grace_ms == 1500 && command.kept_bytes == 0);
    record[29] = 1;
    CHECK(qv_command_parse(record, bytes, &command, &error) == 0 && command.kept_bytes == 256 * 1024);
    record[29] = 0;
    CHECK(memcmp(command.strings, "/bin/echo\0\0gr\xc3\xbcn ok\0A=1\0B=\0/work", 32) == 0);
    CHECK(command.directory != NULL && strcmp(command.directory, "/work") == 0);
    record[4] = QV_MAJOR + 1;
    CHECK(qv_command_parse(record, bytes, &command, &error) < 0 && strstr(error.text, "version 2") != NULL);
    record[4] = QV_MAJOR;
    for (size_t cut = 0; cut < bytes; cut++) { /* never a byte beyond what is there: ASan watches */
        uint8_t *part = malloc(cut == 0 ? 1 : cut);
        memcpy(part, record, cut);
        CHECK(qv_command_parse(part, cut, &command, &error) < 0);
        free(part);
    }
    for (size_t at = 0; at < bytes; at++) {
        for (unsigned flip = 1; flip < 256; flip += 37) {
            uint8_t *broken = malloc(bytes);
            memcpy(broken, record, bytes);
            broken[at] ^= (uint8_t)flip;
            qv_command_parse(broken, bytes, &command, &error);
            free(broken);
        }
    }
}

static void refuses_what_is_no_control(void) {
    struct qv_control *control = calloc(1, QV_HEADER_BYTES + 2 * QV_STRIDE);
    struct qv_error error;
    size_t bytes = QV_HEADER_BYTES + 2 * QV_STRIDE;
    control->prologue = (struct qv_prologue){.magic = QV_CONTROL_MAGIC,
                                             .major = QV_MAJOR,
                                             .header_bytes = QV_HEADER_BYTES,
                                             .slots = 2,
                                             .stride = QV_STRIDE,
                                             .byte_order = QV_BYTE_ORDER_MARK};
    CHECK(qv_control_check(control, bytes, &error) == 0);
    CHECK(qv_control_check(control, bytes - 1, &error) < 0);
    CHECK(qv_control_check(control, 100, &error) < 0);
    control->prologue.major = QV_MAJOR + 1;
    CHECK(qv_control_check(control, bytes, &error) < 0 && strstr(error.text, "version 2") != NULL);
    control->prologue.major = QV_MAJOR;
    control->prologue.slots = 65;
    CHECK(qv_control_check(control, bytes, &error) < 0 && strstr(error.text, "65") != NULL);
    control->prologue.slots = 2;
    control->prologue.magic++;
    CHECK(qv_control_check(control, bytes, &error) < 0);
    free(control);
}

/* Duties follow from states: start what is pending, clean what is acknowledged or called off, leave the rest alone. */
static void duties_agree_with_states(void) {
    for (unsigned op = QV_OP_NONE; op <= QV_OP_ACKNOWLEDGE; op++) {
        for (unsigned stage = QV_READY; stage <= QV_CLEANING; stage++) {
            for (uint64_t ahead = 0; ahead <= 1; ahead++) {
                uint64_t s = qv_word(5 + ahead, op), u = qv_word(5, stage);
                unsigned state = qv_state_of(s, u);
                enum qv_duty duty = qv_duty_of(s, u);
                if (state == 0) {
                    continue;
                }
                CHECK((duty == QV_START) == (state == QV_STATE_PENDING));
                CHECK((duty == QV_DISCARD) == (state == QV_STATE_CANCELLED && ahead == 1));
                CHECK((duty == QV_CLEAN)
                      == (ahead == 0 && (stage == QV_COMPLETE || stage == QV_RETRY)
                          && (op == QV_OP_ACKNOWLEDGE || op == QV_OP_CANCEL)));
                CHECK(duty != QV_WAIT || state == QV_STATE_WAITING || state == QV_STATE_COMPLETE
                      || state == QV_STATE_RETRY || state == QV_STATE_FAILED);
            }
        }
    }
    CHECK(qv_state_of(qv_word(5, QV_OP_RUN), qv_word(5, QV_NONE)) == 0);
    CHECK(qv_state_of(qv_word(5, QV_OP_RUN), qv_word(6, QV_READY)) == 0);
    CHECK(qv_state_of(qv_word(5, QV_OP_RUN), qv_word(3, QV_READY)) == 0);
}

static void tail_keeps_the_end(void) {
    struct tail *tail = calloc(1, sizeof *tail);
    char bytes[40000], file[] = "/tmp/quiver-tail-XXXXXX", back[QV_TAIL_BYTES];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (char)(i * 7 + i / 251);
    }
    size_t done = 0;
    for (size_t step = 1; done < sizeof bytes; step = step * 3 % 9973 + 1) {
        size_t length = step < sizeof bytes - done ? step : sizeof bytes - done;
        tail_add(tail, bytes + done, length);
        done += length;
    }
    CHECK(tail->total == sizeof bytes);
    for (size_t i = 0; i < QV_TAIL_BYTES; i++) {
        size_t position = sizeof bytes - QV_TAIL_BYTES + i;
        CHECK(tail->ring[position % QV_TAIL_BYTES] == bytes[position]);
    }
    int fd = mkstemp(file);
    CHECK(tail_write(tail, fd) == 0);
    CHECK(pread(fd, back, sizeof back, 0) == QV_TAIL_BYTES && memcmp(back, tail->ring, sizeof back) == 0);
    close(fd);
    unlink(file);
    free(tail);
}

static size_t drain(int fd, char *to, size_t room) {
    ssize_t n = read(fd, to, room - 1);
    to[n < 0 ? 0 : n] = 0;
    return n < 0 ? 0 : (size_t)n;
}

static void forwards_whole_lines_with_their_task(void) {
    int ends[2];
    char text[65536];
    CHECK(pipe2(ends, O_NONBLOCK) == 0);
    struct forward *f = calloc(1, sizeof *f);
    forward_open(f, ends[1], 0);
    forward_begin(f, "a\nb", 3);
    forward_bytes(f, "one\ntw", 6, 0);
    drain(ends[0], text, sizeof text);
    CHECK(strcmp(text, "[a?b] one\n") == 0);
    forward_bytes(f, "o\n\nthree", 8, 0);
    forward_end(f, 0);
    drain(ends[0], text, sizeof text);
    CHECK(strcmp(text, "[a?b] two\n[a?b] \n[a?b] three\n") == 0);
    free(f);
    close(ends[0]);
    close(ends[1]);
}

/* A line without its time. */
static bool ends_with(const struct slot_log *log, const char *line) {
    size_t length = strlen(line);
    return log->fill >= length && memcmp(log->text + log->fill - length, line, length) == 0;
}

static void keeps_the_last_lines_of_a_slot(void) {
    char folder[] = "/tmp/quiver-log-XXXXXX", back[QV_LOG_BYTES + 1];
    static struct slot_log log, next;
    int dir = open(mkdtemp(folder), O_RDONLY | O_DIRECTORY), ends[2];
    CHECK(pipe2(ends, O_NONBLOCK) == 0);
    slot_log_open(&log, dir, 3);
    struct forward *f = calloc(1, sizeof *f);
    forward_open(f, ends[1], 0);
    forward_begin(f, "handler-3", 9);
    forward_log(f, &log, "OUT");
    forward_bytes(f, "half", 4, 0);
    CHECK(log.fill == 0);
    forward_bytes(f, " a line\n", 8, 0);
    CHECK(ends_with(&log, "Z OUT half a line\n") && log.text[4] == '-' && log.text[10] == 'T' && log.fill == 41);
    int fd = openat(dir, "task-3.log", O_RDONLY);
    CHECK(pread(fd, back, sizeof back, 0) == (ssize_t)log.fill && memcmp(back, log.text, log.fill) == 0);
    forward_log(f, NULL, NULL);
    forward_bytes(f, "a task's\n", 9, 0);
    CHECK(ends_with(&log, "half a line\n"));
    for (int i = 0; i < 300; i++) {
        slot_log_add(&log, "ERR", "0123456789", 10);
    }
    slot_log_write(&log);
    CHECK(log.fill <= QV_LOG_BYTES && log.fill > QV_LOG_BYTES - 40 && log.text[4] == '-' && ends_with(&log, "89\n"));
    CHECK(pread(fd, back, sizeof back, 0) == (ssize_t)log.fill);
    memset(back, 'x', sizeof back);
    slot_log_add(&log, "OUT", back, sizeof back); /* a long line leaves room for others */
    CHECK(log.fill <= QV_LOG_BYTES && log.fill > QV_LOG_BYTES / 2 && memchr(log.text, '9', log.fill) != NULL);
    slot_log_write(&log);
    slot_log_open(&next, dir, 3);
    CHECK(next.fill == log.fill && memcmp(next.text, log.text, log.fill) == 0);
    close(fd);
    unlinkat(dir, "task-3.log", 0);
    CHECK(mkfifoat(dir, "task-3.log", 0600) == 0); /* nobody waits for its other end */
    slot_log_open(&next, dir, 3);
    CHECK(next.fill == 0);
    slot_log_add(&next, "OUT", "lost", 4);
    slot_log_write(&next);
    unlinkat(dir, "task-3.log", 0);
    free(f);
    close(ends[0]);
    close(ends[1]);
    close(dir);
    rmdir(folder);
}

static void counts_what_a_full_log_does_not_take(void) {
    int ends[2];
    static char text[1 << 17];
    CHECK(pipe2(ends, O_NONBLOCK) == 0);
    struct forward *f = calloc(1, sizeof *f);
    forward_open(f, ends[1], 0);
    forward_begin(f, "t", 1);
    size_t sent = 0;
    for (int i = 0; i < 10000; i++, sent += 10) {
        forward_bytes(f, "123456789\n", 10, 0);
    }
    size_t length = drain(ends[0], text, sizeof text), shown = 0;
    for (size_t i = 0; i < length; i++) {
        shown += text[i] == '\n';
    }
    CHECK(shown > 1000 && shown < 10000);
    CHECK(f->dropped == sent - shown * 10);
    forward_end(f, 0);
    drain(ends[0], text, sizeof text);
    CHECK(strstr(text, "bytes of output are not shown here") != NULL);
    free(f);
    close(ends[0]);
    close(ends[1]);
}

static void later_variables_win_and_own_ones_always(void) {
    const char *own[] = {"QUIVER_SLOT=1", NULL};
    char *base[] = {"PATH=/base", "A=base", "Z=base", NULL};
    struct qv_command command = {.argc = 1, .envc = 4, .strings = "prog\0A=first\0A=second\0QUIVER_SLOT=9\0B="};
    const char *envp[16];
    const char *path = environment_build(&command, own, base, envp);
    CHECK(strcmp(path, "/base") == 0);
    const char *wanted[] = {"QUIVER_SLOT=1", "B=", "A=second", "PATH=/base", "Z=base"};
    for (size_t i = 0; i < 5; i++) {
        CHECK(envp[i] != NULL && strcmp(envp[i], wanted[i]) == 0);
    }
    CHECK(envp[5] == NULL);
}

/* Whatever the sizes of the pieces: byte p lies at its place, the beginning for good, the rest in a ring. */
static void whole_keeps_the_beginning_and_the_end(void) {
    enum { LIMIT = 8192, HEAD = LIMIT / 2, RING = LIMIT - HEAD, SIZE = 100000 };
    char *bytes = malloc(SIZE), back[LIMIT + 1], folder[] = "/tmp/quiver-whole-XXXXXX";
    CHECK(mkdtemp(folder) != NULL);
    int dir = open(folder, O_RDONLY | O_DIRECTORY);
    for (size_t i = 0; i < SIZE; i++) {
        bytes[i] = (char)(i * 31 + i / 251);
    }
    for (size_t piece = 1; piece <= 65536; piece = piece * 7 + 1) {
        struct whole whole;
        whole_open(&whole, dir, 3, "stdout");
        whole_begin(&whole, LIMIT);
        CHECK(openat(dir, "task-3.stdout", O_RDONLY) < 0); /* not before its first byte */
        size_t size = piece == 1 ? HEAD + 5 : SIZE;
        for (size_t done = 0; done < size; done += piece) {
            whole_add(&whole, bytes + done, piece < size - done ? piece : size - done);
        }
        whole_end(&whole);
        int fd = openat(dir, "task-3.stdout", O_RDONLY);
        size_t kept = size < LIMIT ? size : LIMIT;
        CHECK(pread(fd, back, sizeof back, 0) == (ssize_t)kept && memcmp(back, bytes, HEAD) == 0);
        for (size_t p = size - (kept - HEAD); p < size; p++) {
            CHECK(back[HEAD + (p - HEAD) % RING] == bytes[p]);
        }
        whole_begin(&whole, LIMIT); /* the next task has another file, and the reader of this one keeps it */
        whole_add(&whole, "next", 4);
        CHECK(pread(fd, back, 4, 0) == 4 && memcmp(back, bytes, 4) == 0);
        whole_clear(&whole);
        CHECK(openat(dir, "task-3.stdout", O_RDONLY) < 0);
        whole_begin(&whole, 0);
        whole_add(&whole, "none", 4);
        CHECK(openat(dir, "task-3.stdout", O_RDONLY) < 0);
        close(fd);
    }
    struct whole none;
    whole_open(&none, -1, 3, "stdout");
    whole_begin(&none, LIMIT);
    whole_add(&none, "none", 4);
    CHECK(!none.made && none.fd < 0);
    close(dir);
    rmdir(folder);
    free(bytes);
}

int main(int argc, char **argv) {
    golden_dir = argc > 1 ? argv[1] : "golden";
    packet_is_the_golden_one();
    command_is_the_golden_one();
    refuses_what_is_no_control();
    duties_agree_with_states();
    tail_keeps_the_end();
    whole_keeps_the_beginning_and_the_end();
    forwards_whole_lines_with_their_task();
    keeps_the_last_lines_of_a_slot();
    counts_what_a_full_log_does_not_take();
    later_variables_win_and_own_ones_always();
    test_handlers();
    test_batches();
    test_memory();
    test_split();
    if (failures > 0) {
        fprintf(stderr, "%u of %u checks failed\n", failures, checks);
    }
    return failures > 0;
}
