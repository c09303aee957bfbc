/* The supervisor's and the runner's ends of what a handler sees. */
#define _GNU_SOURCE
#include "rig.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"

static void *map_file(const char *root, const char *name, size_t bytes) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", root, name);
    int fd = open(path, O_CREAT | O_RDWR, 0600);
    void *at = ftruncate(fd, (off_t)bytes) < 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return at;
}

static void set(const char *variable, int value) {
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    setenv(variable, text, 1);
}

void rig_open(struct rig *rig) {
    struct qv_error error;
    int pair[2], fd;
    char path[128];
    snprintf(rig->root, sizeof rig->root, "/tmp/quiver-handler-XXXXXX");
    CHECK(mkdtemp(rig->root) != NULL);
    rig->control = map_file(rig->root, "control", RIG_CONTROL_BYTES);
    rig->control->prologue = (struct qv_prologue){.magic = QV_CONTROL_MAGIC,
                                                  .major = QV_MAJOR,
                                                  .header_bytes = QV_HEADER_BYTES,
                                                  .slots = 1,
                                                  .stride = QV_STRIDE,
                                                  .byte_order = QV_BYTE_ORDER_MARK};
    rig->input = map_file(rig->root, "task-0.in", RIG_IN_BYTES);
    munmap(map_file(rig->root, "task-0.out", 1), 1);
    munmap(map_file(rig->root, "task-0.stderr", QV_TAIL_BYTES), QV_TAIL_BYTES);
    snprintf(path, sizeof path, "%s/control", rig->root);
    fd = open(path, O_RDONLY);
    CHECK(qv_control_map(fd, &rig->region, &error) == 0);
    close(fd);
    CHECK(qv_exec_create(&rig->region, 1, &error) == 0);
    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0);
    rig->turn_fd = pair[0];
    setenv("QUIVER_IN", rig->root, 1);
    setenv("QUIVER_OUT", rig->root, 1);
    set("QUIVER_SLOT", 0);
    set("QUIVER_EXEC_FD", dup(rig->region.exec_fd));
    set("QUIVER_TURN_FD", pair[1]);
    rig->handler = qv_handler_open(error.text, sizeof error.text);
    CHECK(rig->handler != NULL);
}

void rig_close(struct rig *rig) {
    qv_handler_close(rig->handler);
    close(rig->turn_fd);
    qv_region_close(&rig->region);
    munmap(rig->control, RIG_CONTROL_BYTES);
    munmap(rig->input, RIG_IN_BYTES);
    static const char *const files[] = {"control", "task-0.in", "task-0.out", "task-0.stderr", "task-0.log"};
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", rig->root, files[i]);
        unlink(path);
    }
    CHECK(rmdir(rig->root) == 0);
}

void supervisor(struct rig *rig, uint64_t generation, enum qv_op op) {
    atomic_store(&rig->control->slot[0].word, qv_word(generation, op));
}

uint64_t executor(const struct rig *rig) { return qv_executor_word(&rig->region, 0); }

static void dispatch(struct rig *rig, uint64_t generation, const char *payload, const char *record, size_t bytes) {
    struct qv_control_slot *slot = &rig->control->slot[0];
    slot->kind = QV_KIND_HANDLER;
    slot->format = QV_JSON;
    slot->trial = 1;
    slot->allowed = 2;
    slot->in_length = strlen(payload);
    slot->out_limit = 64;
    slot->name_length = 4;
    slot->deadline = 0;
    memcpy(slot->name, "name", 4);
    memcpy(rig->input, payload, strlen(payload));
    memcpy(rig->input + qv_command_offset(strlen(payload)), record, bytes);
    supervisor(rig, generation, QV_OP_RUN);
}

void dispatch_golden(struct rig *rig, uint64_t generation) {
    uint8_t record[512];
    size_t bytes = golden("handler-command.hex", record, sizeof record);
    dispatch(rig, generation, "{\"a\":1}", (const char *)record, bytes);
}

unsigned heard(struct rig *rig) {
    struct turn_message message;
    struct qv_error error;
    return turn_receive(rig->turn_fd, &message, false, &error) == 1 ? message.head.type : 0;
}

struct runner runner_of(struct rig *rig, struct shared *shared) {
    return (struct runner){.region = &rig->region, .shared = shared, .wake_fd = -1, .names_fd = -1, .library = "",
                           .in_dir = rig->root, .out_dir = rig->root, .whole_dir_fd = -1, .log_fd = {-1, -1}};
}

void keeper_free(struct keeper *k) {
    close(k->null_fd);
    free(k->environment);
    free(k);
}
